import { Inject, Injectable } from '@nestjs/common';
import type { AdmittedHold, IdempotencyClaim } from '@svc/contracts';
import { SvcError, internalError, noCapacity } from '@svc/errors';
import { RpcUnavailableError } from '@svc/messaging';
import { Counter, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { UnreadableResponseError } from '@svc/response-cipher';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayConfig } from '../gateway.config';
import { Remembered } from '../keys/remembered';
import type { CallContext, PlanTerms } from './admission.service';
import { claimOf } from './idempotency-key';
import { IdempotencyRecords } from './idempotency-records';
import { ReplayService } from './replay.service';

/** How often billing is asked how a request stands that nobody seems to have: its run may begin or end just then. */
const ROUNDS = 4;
const CONFLICT = 409;
const REPEAT = 'Repeat the request under the same Idempotency-Key: it is charged once.';

/** A request with an `Idempotency-Key`. */
interface IdempotentCall {
  keyHash: string;
  claim: IdempotencyClaim;
  context: CallContext;
  stream: boolean;
  includeUsage: boolean;
  model: string;
}

/** What may be done with a hold that was got. */
interface IdempotentStart<P> {
  /**
   * Everything before money; tentative where something stood under the key.
   * @throws SvcError, RpcUnavailableError
   */
  prepare(terms: PlanTerms): Promise<P>;
  /** @throws SvcError, RpcUnavailableError */
  admit(prepared: P): Promise<AdmittedHold>;
  run(prepared: P, hold: AdmittedHold): void;
}

/** Requests with an `Idempotency-Key`: run once; after that followed, or told again from what was stored. */
@Injectable()
export class IdempotentCompletions {
  private readonly outcomes: Counter<'outcome'>;
  /** Under which something stood when it was last asked for, by API key and claim: what is told again costs no provider anything. */
  private readonly standing = new Remembered();

  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    private readonly records: IdempotencyRecords,
    private readonly replays: ReplayService,
    @Inject(METRICS_REGISTRY) registry: MetricsRegistry,
  ) {
    this.outcomes = new Counter({
      name: 'svc_gateway_idempotent_requests_total',
      help: 'Requests with an Idempotency-Key by what came of them.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /** What billing knows an idempotency key and its request by. */
  claimOf(idempotencyKey: string, path: string, request: ChatCompletionRequest): IdempotencyClaim {
    return claimOf(idempotencyKey, this.config.keyPepper, path, request);
  }

  /**
   * Serves the request in whichever way it stands. Once the reply is hijacked it is the run's, or the replay's.
   * @throws SvcError invalid_request (422 another request stands under the key, 409 nobody can be found who has the run); internal_error
   *   when the reply is not kept;
   *   no_capacity when billing cannot say how it stands; whatever the request was refused with, when nothing stands under its key
   */
  async serve<P>(
    call: IdempotentCall,
    start: IdempotentStart<P>,
    http: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<void> {
    const { record } = http.request;
    let unread: string | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      const { hold, prepared } = await this.stand(call, start);
      if (hold.state === 'held' && prepared !== undefined) {
        this.outcomes.inc({ outcome: 'run' });
        http.reply.hijack();
        return start.run(prepared, hold);
      }
      if (await this.tellAgain(call, hold, http)) return;
      if (record.closed) {
        http.reply.hijack();
        return;
      }
      if (hold.state !== 'completed') continue;
      // Had it gone just now, it would stand otherwise: there was no room to keep it.
      if (hold.holdId === unread) {
        this.outcomes.inc({ outcome: 'lost' });
        throw replyLost();
      }
      unread = hold.holdId;
    }
    this.outcomes.inc({ outcome: 'conflict' });
    throw stillRunning();
  }

  /** What is refused now may have been served before. */
  private async stand<P>(
    { keyHash, claim, context }: IdempotentCall,
    start: IdempotentStart<P>,
  ): Promise<{ hold: AdmittedHold; prepared?: P }> {
    const name = `${keyHash}:${claim.keyHash}`;
    let prepared: P;
    try {
      prepared = await start.prepare({ tentative: this.standing.has(name) });
    } catch (refusal) {
      const hold = await heard(this.records.find(keyHash, claim, context));
      if (hold) return { hold };
      throw refusal;
    }
    const hold = await heard(start.admit(prepared));
    if (hold.state === 'held') this.standing.delete(name);
    else this.standing.add(name);
    return { hold, prepared };
  }

  /** @returns false when it cannot be told, because it stands otherwise by now */
  private async tellAgain(
    { context, stream, includeUsage, model }: IdempotentCall,
    hold: AdmittedHold,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<boolean> {
    const client = { raw: reply.raw, record: request.record, stream, includeUsage, model };
    if (hold.state === 'running') {
      reply.hijack();
      const followed = await this.replays.follow(hold, client);
      if (followed) this.outcomes.inc({ outcome: 'attached' });
      return followed;
    }
    const stored = await heard(this.records.readReply(hold, context, () => !request.record.closed));
    if (!stored) return false;
    this.outcomes.inc({ outcome: 'replayed' });
    reply.hijack();
    this.replays.replay(hold, stored, client);
    return true;
  }
}

/**
 * What billing says. When it says nothing that can be understood, the request may have been charged, now or before: nobody is told that
 * it was not.
 */
async function heard<T>(said: Promise<T>): Promise<T> {
  try {
    return await said;
  } catch (error) {
    if (RpcUnavailableError.is(error)) {
      throw noCapacity(`A part of the service is not reachable now. ${REPEAT}`, 1);
    }
    if (error instanceof UnreadableResponseError) throw replyLost();
    if (SvcError.is(error) && error.code === 'internal_error') {
      throw internalError(`Something went wrong on our side. ${REPEAT}`);
    }
    throw error;
  }
}

/** Repeating it cannot help: whoever wants an answer has to pay for another. */
function replyLost(): SvcError {
  return internalError(
    'The reply kept under this Idempotency-Key cannot be read any more. The request was charged when it was served, and is not ' +
      'charged again. Under another Idempotency-Key it is served and charged anew.',
  );
}

function stillRunning(): SvcError {
  return new SvcError({
    code: 'invalid_request',
    message: 'A request under this idempotency key is being finished. Try again.',
    param: 'Idempotency-Key',
    status: CONFLICT,
    retryAfterSeconds: 1,
  });
}
