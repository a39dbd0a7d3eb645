import { Inject, Injectable } from '@nestjs/common';
import type { PlannedAttempt } from '@svc/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayConfig } from '../gateway.config';
import { bodyOf } from '../http/json-body';
import { ApiKeysService } from '../keys/api-keys.service';
import { ModelCatalog } from '../models/model-catalog';
import { AdmissionService } from './admission.service';
import type { CallContext } from './admission.service';
import { CompletionRunner } from './completion-runner';
import { readOrder } from './completion-order';
import type { CompletionOrder } from './completion-order';

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** One request's straight way: key, shape, model, features; plan; hold; run. */
@Injectable()
export class ChatCompletionsService {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    private readonly keys: ApiKeysService,
    private readonly catalog: ModelCatalog,
    private readonly admission: AdmissionService,
    private readonly runner: CompletionRunner,
  ) {}

  /**
   * Serves a request up to the start of its run; the reply is the run's from there.
   * @throws SvcError with everything that is refused before
   */
  async serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const keyHash = this.keys.hashOf(request.headers.authorization);
    const context = contextOf(request);
    const { order, attempts } = await this.prepare(request, keyHash, context);
    const hold = await this.admission.hold(order, attempts, keyHash, context);
    // From here on the reply is written by the run; an error on the way abandons the hold and is told by the filter.
    reply.hijack();
    this.runner.run(order, { hold, attempts, context }, request.record, reply.raw);
  }

  /** Everything that needs no money. A key that may not be used is told before any of it. */
  private async prepare(
    request: FastifyRequest,
    keyHash: string,
    context: CallContext,
  ): Promise<{ order: CompletionOrder; attempts: PlannedAttempt[] }> {
    try {
      const idempotencyKey = request.headers['idempotency-key'];
      const order = readOrder(bodyOf(request), {
        findModel: (id) => this.catalog.find(id),
        environment: this.config.environment,
        assertReachable: () => this.runner.assertReachable(),
        maxPayloadBytes: () => this.runner.maxPayloadBytes,
        idempotencyKey: Array.isArray(idempotencyKey) ? idempotencyKey[0] : idempotencyKey,
      });
      request.record.model = order.model;
      request.record.stream = order.stream;
      return { order, attempts: await this.admission.plan(order, context) };
    } catch (refusal) {
      await this.keys.assertUsable(keyHash, context.requestId);
      throw refusal;
    }
  }
}

function contextOf(request: FastifyRequest): CallContext {
  const { traceparent } = request.headers;
  const isTrace = typeof traceparent === 'string' && TRACEPARENT.test(traceparent);
  return { requestId: request.id, ...(isTrace && { traceparent }) };
}
