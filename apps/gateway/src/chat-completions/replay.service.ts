import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { AdmittedHold } from '@svc/contracts';
import { usdcOf } from '@svc/money';
import { CLOCK } from '../clock';
import type { Clock } from '../clock';
import { REPLAY_HEADER } from '../http/error-reply';
import { completionIdOf, createdOf, tellRequestId } from '../http/request-ids';
import type { RequestRecord } from '../http/request-record';
import { RunsService } from '../runs/runs.service';
import { sinkFor } from '../runs/sink-for';
import type { ChunkIdentity } from '../runs/stream-events';

/** Whoever asked a second time. */
interface RepeatingClient {
  raw: ServerResponse;
  record: RequestRecord;
  stream: boolean;
  includeUsage: boolean;
  /** As it was named. */
  model: string;
}

/** Gives a client the reply of an earlier request: its bytes, its id, what was held for it. */
@Injectable()
export class ReplayService {
  constructor(
    private readonly runs: RunsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A request that is over. @param reply as it was stored */
  replay(hold: AdmittedHold, reply: Buffer, client: RepeatingClient): void {
    const { raw, record, stream } = client;
    if (record.closed) return;
    sayWhose(raw, record, hold);
    // All at once: what its connection has yet to take counts as what clients leave unread.
    const identity = identityOf(hold, client);
    sinkFor({ raw, record, stream, identity, isWaitedFor: false }, this.clock, () => undefined).end(reply);
    this.runs.noteReplay(record);
  }

  /**
   * A request that runs.
   * @returns whether somebody has it, whose frames go to the client from here on
   */
  follow(hold: AdmittedHold, client: RepeatingClient): Promise<boolean> {
    const { raw, record, stream } = client;
    return this.runs.follow({
      hold: { holdId: hold.holdId, wallet: hold.wallet },
      record,
      sink: (credit) => {
        sayWhose(raw, record, hold);
        const identity = identityOf(hold, client);
        return sinkFor({ raw, record, stream, identity, isWaitedFor: false }, this.clock, credit);
      },
    });
  }
}

function sayWhose(raw: ServerResponse, record: RequestRecord, { holdId, amount }: AdmittedHold): void {
  if (raw.headersSent) return;
  record.replayOf = holdId;
  tellRequestId(raw, holdId);
  raw.setHeader('x-svc-hold-usdc', usdcOf(amount));
  raw.setHeader(REPLAY_HEADER, 'true');
}

/** For the words of a failure; the reply brings its own. */
function identityOf({ holdId }: AdmittedHold, { model, includeUsage }: RepeatingClient): ChunkIdentity {
  return { completionId: completionIdOf(holdId), created: createdOf(holdId), model, includeUsage };
}
