import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import type { RunHold, StoreResponseRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { RpcClient } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { ResponseCipher } from '@svc/response-cipher';
import { DispatchConfig } from '../dispatch.config';

/** How long billing may be away before a reply that is ready is given up: nothing is charged that could not be replayed. */
const PATIENCE_MS = 15_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

type StoreOutcome = 'stored' | 'no_room' | 'failed';

/** Keeps replies of idempotent runs with billing, encrypted under a key that billing does not have. */
@Injectable()
export class StoredReplies {
  private readonly cipher: ResponseCipher;

  constructor(
    private readonly rpc: RpcClient,
    config: DispatchConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.cipher = new ResponseCipher(config.responseKey, config.previousResponseKey);
  }

  /**
   * Where billing has no room for it the request goes on as if it were stored: nothing tells it again, but it was served, and who fills the room
   * must not be served for nothing.
   * @returns whether it may be charged: then it is stored for good
   */
  async store({ wallet, holdId }: RunHold, reply: Buffer): Promise<boolean> {
    const untilMs = performance.now() + PATIENCE_MS;
    for (const [part, sealed] of this.cipher.seal({ wallet, holdId }, reply).entries()) {
      const request = { wallet, holdId, part, bytes: sealed.toString('base64') };
      const outcome = await this.storePart(request, untilMs);
      if (outcome === 'no_room') break;
      if (outcome === 'failed') return false;
    }
    return true;
  }

  private async storePart(request: StoreResponseRequest, untilMs: number): Promise<StoreOutcome> {
    const { holdId: requestId } = request;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
      try {
        const { isKept } = await this.rpc.call(billingContracts.storeResponse, request, { requestId });
        if (isKept !== false) return 'stored';
        this.logger.warn({ requestId }, 'the reply of an idempotent request is not kept: no room');
        return 'no_room';
      } catch (error) {
        const refused = SvcError.is(error) && error.code === 'invalid_request';
        if (refused || performance.now() + waitMs > untilMs) {
          this.logger.warn({ requestId, err: error }, 'the reply of an idempotent request was not stored');
          return 'failed';
        }
        await delay(waitMs);
      }
    }
  }
}
