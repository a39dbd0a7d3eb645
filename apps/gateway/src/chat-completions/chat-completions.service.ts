import { Injectable } from '@nestjs/common';
import type { AdmittedHold, IdempotencyClaim } from '@svc/contracts';
import type { ChatCompletionRequest } from '@svc/openai-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOf } from '../http/json-body';
import { ApiKeysService } from '../keys/api-keys.service';
import { AdmissionService } from './admission.service';
import type { CallContext, PlanTerms, RoutePlan } from './admission.service';
import { includesUsage, readRequest } from './completion-order';
import type { CompletionOrder } from './completion-order';
import { CompletionOrders } from './completion-orders';
import { CompletionRunner } from './completion-runner';
import { readIdempotencyKey } from './idempotency-key';
import { IdempotentCompletions } from './idempotent-completions';

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const PATH = '/v1/chat/completions';

/** A request whose key and shape are in order. */
interface Asked {
  keyHash: string;
  context: CallContext;
  body: ChatCompletionRequest;
  /** Of a request with an `Idempotency-Key`. */
  claim: IdempotencyClaim | undefined;
}

/** What is known of a request before money has a say. */
interface Prepared {
  order: CompletionOrder;
  plan: RoutePlan;
  /** What it may cost at most, base units. */
  amount: bigint;
}

/** One request's straight way: key, shape, model, features; plan; hold; run. */
@Injectable()
export class ChatCompletionsService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly orders: CompletionOrders,
    private readonly admission: AdmissionService,
    private readonly runner: CompletionRunner,
    private readonly idempotent: IdempotentCompletions,
  ) {}

  /**
   * Serves a request up to the start of its run; the reply is the run's from there.
   * @param keyHash of the key that pays, however its holder was recognised
   * @throws SvcError with everything that is refused before
   */
  async serve(request: FastifyRequest, reply: FastifyReply, keyHash: string): Promise<void> {
    const context = contextOf(request);
    const asked = await this.ask(request, keyHash, context);
    if (asked.claim) return this.serveOnce(asked, asked.claim, { request, reply });
    let prepared: Prepared;
    try {
      prepared = await this.prepare(asked, request, { tentative: false });
    } catch (refusal) {
      // A key that may not be used any more is told before any of it; of an idempotent request it was.
      await this.keys.assertUsable(keyHash, request);
      throw refusal;
    }
    const hold = await this.hold(asked, prepared);
    // From here on the reply is written by the run; an error on the way abandons the hold and is told by the filter.
    reply.hijack();
    const { order, plan } = prepared;
    this.runner.run(order, { hold, plan, context, idempotent: false }, request.record, reply.raw);
  }

  private serveOnce(
    asked: Asked,
    claim: IdempotencyClaim,
    http: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<void> {
    const { keyHash, context, body } = asked;
    const { request, reply } = http;
    return this.idempotent.serve<Prepared>(
      {
        keyHash,
        claim,
        context,
        stream: body.stream ?? false,
        includeUsage: includesUsage(body),
        model: body.model,
      },
      {
        prepare: (terms) => this.prepare(asked, request, terms),
        admit: (prepared) => this.hold(asked, prepared),
        run: ({ order, plan }, hold) =>
          this.runner.run(order, { hold, plan, context, idempotent: true }, request.record, reply.raw),
      },
      http,
    );
  }

  /** What is wrong with the key is told before what is wrong with the shape, and whose key nobody knows has no body parsed: it came for nothing. */
  private async ask(request: FastifyRequest, keyHash: string, context: CallContext): Promise<Asked> {
    await this.keys.assertHeardOf(keyHash, request);
    try {
      return this.read(request, keyHash, context);
    } catch (refusal) {
      await this.keys.assertUsable(keyHash, request);
      throw refusal;
    }
  }

  private async hold({ keyHash, claim, context }: Asked, prepared: Prepared): Promise<AdmittedHold> {
    try {
      const hold = await this.admission.hold({ ...prepared, keyHash, idempotency: claim }, context);
      if (hold.state === 'held') this.keys.held(keyHash);
      return hold;
    } catch (refusal) {
      this.keys.heard(keyHash, refusal);
      throw refusal;
    }
  }

  private read(request: FastifyRequest, keyHash: string, context: CallContext): Asked {
    const body = readRequest(bodyOf(request));
    // Nobody reads it again, and the request stays as long as its reply.
    request.body = undefined;
    const idempotencyKey = readIdempotencyKey(request.raw);
    const claim =
      idempotencyKey === undefined ? undefined : this.idempotent.claimOf(idempotencyKey, PATH, body);
    return { keyHash, context, body, claim };
  }

  /** Everything that needs no money. */
  private async prepare(
    { keyHash, body, context }: Asked,
    { record }: FastifyRequest,
    { tentative }: PlanTerms,
  ): Promise<Prepared> {
    const order = this.orders.place(body);
    record.model = order.model;
    record.stream = order.stream;
    const plan = await this.admission.plan(order, context, {
      tentative: tentative || this.keys.isShort(keyHash),
    });
    return { order, plan, amount: this.admission.amountOf(order, plan.attempts) };
  }
}

function contextOf(request: FastifyRequest): CallContext {
  const { traceparent } = request.headers;
  const isTrace = typeof traceparent === 'string' && TRACEPARENT.test(traceparent);
  return { requestId: request.id, ...(isTrace && { traceparent }) };
}
