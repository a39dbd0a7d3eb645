import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { AdmittedHold, PlannedAttempt, StartRunRequest } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import { formatUsdc, parseBaseUnits } from '@svc/money';
import { CLOCK } from '../clock';
import type { Clock } from '../clock';
import { completionIdOf } from '../http/request-ids';
import type { RequestRecord } from '../http/request-record';
import { NatsLink } from '../messaging/nats-link';
import { DispatchLink } from '../runs/dispatch-link';
import { HoldRelease } from '../runs/hold-release';
import { PlainSink } from '../runs/plain-sink';
import { RunsService } from '../runs/runs.service';
import { StreamSink } from '../runs/stream-sink';
import type { CallContext } from './admission.service';
import type { CompletionOrder } from './completion-order';

/** What admission ended with. */
export interface Admitted {
  hold: AdmittedHold;
  attempts: PlannedAttempt[];
  context: CallContext;
}

/** Turns an admitted order into a run with a client at its end. */
@Injectable()
export class CompletionRunner {
  constructor(
    private readonly runs: RunsService,
    private readonly dispatch: DispatchLink,
    private readonly holds: HoldRelease,
    private readonly nats: NatsLink,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  get maxPayloadBytes(): number {
    return this.dispatch.maxPayloadBytes;
  }

  /** @throws SvcError no_capacity when nothing could be asked now */
  assertReachable(): void {
    if (!this.nats.connected) throw noCapacity('The service is not reachable inside now.', 2);
  }

  /**
   * Starts the run. Whatever goes wrong, the hold is not left standing.
   * @throws whatever kept the run from being started
   */
  run(order: CompletionOrder, admitted: Admitted, record: RequestRecord, raw: ServerResponse): void {
    const { hold } = admitted;
    const reference = { holdId: hold.holdId, wallet: hold.wallet };
    if (record.closed) return this.holds.abandon(reference, 'client_gone');
    try {
      this.assertReachable();
      raw.setHeader('x-svc-hold-usdc', formatUsdc(parseBaseUnits(hold.amount)));
      const identity = {
        completionId: completionIdOf(admitted.context.requestId),
        created: Math.floor(Date.now() / 1000),
        model: order.model,
      };
      this.runs.start({
        hold: reference,
        record,
        startJson: startJsonOf(order, admitted, identity),
        traceparent: admitted.context.traceparent,
        sink: (credit) =>
          order.stream
            ? new StreamSink(raw, record, identity, this.clock, credit)
            : new PlainSink(raw, record, this.clock),
      });
    } catch (error) {
      this.holds.abandon(reference, 'not_started');
      throw error;
    }
  }
}

/** A `StartRunRequest` as JSON; the body in it was serialised before and is not again. */
function startJsonOf(
  order: CompletionOrder,
  { hold, attempts, context }: Admitted,
  { completionId, created }: { completionId: string; created: number },
): string {
  const head: Omit<StartRunRequest, 'body'> = {
    requestId: context.requestId,
    completionId,
    created,
    model: order.model,
    stream: order.stream,
    includeUsage: order.includeUsage,
    inputEstimate: order.inputEstimate,
    maxTokens: order.maxTokens,
    hold: { holdId: hold.holdId, wallet: hold.wallet, amount: hold.amount },
    attempts,
  };
  return `${JSON.stringify(head).slice(0, -1)},"body":${order.bodyJson}}`;
}
