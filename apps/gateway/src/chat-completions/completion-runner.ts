import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { AdmittedHold, StartRunRequest } from '@svc/contracts';
import { toErrorPayload } from '@svc/errors';
import { usdcOf } from '@svc/money';
import { CLOCK } from '../clock';
import type { Clock } from '../clock';
import { completionIdOf, createdOf } from '../http/request-ids';
import type { RequestRecord } from '../http/request-record';
import { NatsLink } from '../messaging/nats-link';
import { HoldRelease } from '../runs/hold-release';
import { RunsService } from '../runs/runs.service';
import { sinkFor } from '../runs/sink-for';
import type { CallContext, RoutePlan } from './admission.service';
import type { CompletionOrder } from './completion-order';

/** What admission ended with. */
interface Admitted {
  hold: AdmittedHold;
  plan: RoutePlan;
  context: CallContext;
  /** The request has an `Idempotency-Key`. */
  idempotent: boolean;
}

/** Turns an admitted order into a run with a client at its end. */
@Injectable()
export class CompletionRunner {
  constructor(
    private readonly runs: RunsService,
    private readonly holds: HoldRelease,
    private readonly nats: NatsLink,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Starts the run. Whatever goes wrong, the hold is not left standing.
   * @throws whatever kept the run from being started
   */
  run(order: CompletionOrder, admitted: Admitted, record: RequestRecord, raw: ServerResponse): void {
    const { hold, idempotent } = admitted;
    const reference = { holdId: hold.holdId, wallet: hold.wallet };
    // With a key the work is not for this client alone: it is done, and waits for whoever repeats the request.
    if (record.closed && !idempotent) return this.holds.abandon(reference, 'client_gone');
    try {
      this.nats.assertConnected();
      raw.setHeader('x-svc-hold-usdc', usdcOf(hold.amount));
      const identity = {
        completionId: completionIdOf(admitted.context.requestId),
        created: createdOf(admitted.context.requestId),
        model: order.model,
        includeUsage: order.includeUsage,
      };
      const client = { raw, record, stream: order.stream, identity, isWaitedFor: !idempotent };
      this.runs.start({
        hold: reference,
        record,
        startJson: startJsonOf(order, admitted, identity),
        traceparent: admitted.context.traceparent,
        idempotent,
        sink: (credit) => sinkFor(client, this.clock, credit),
      });
    } catch (error) {
      this.holds.letGo(reference, { idempotent, reason: 'not_started', code: toErrorPayload(error).code });
      throw error;
    }
  }
}

/** A `StartRunRequest` as JSON; the body in it was serialised before and is not again. */
function startJsonOf(
  order: CompletionOrder,
  { hold, plan, context, idempotent }: Admitted,
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
    attempts: plan.attempts,
    ...(plan.passedOver && { passedOver: plan.passedOver }),
    ...(order.routing && { routed: true }),
    ...(idempotent && { idempotent }),
    ...(order.stream && { takesPacked: true }),
  };
  return `${JSON.stringify(head).slice(0, -1)},"body":${order.bodyJson}}`;
}
