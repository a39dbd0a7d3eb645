import { Inject, Injectable } from '@nestjs/common';
import { probeContracts } from '@svc/contracts';
import { SvcError, invalidRequest, noCapacity } from '@svc/errors';
import { RpcClient } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';

/** Below what the act itself may take. */
const PATIENCE_MS = 6_000;
const RETRY_AFTER_SECONDS = 5;

/** Whether an endpoint may be called at all: dispatch knows, which alone reaches providers. */
@Injectable()
export class EndpointPermission {
  constructor(
    private readonly rpc: RpcClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws SvcError invalid_request (`param`) with the reason; no_capacity while dispatch is away */
  async require(endpoint: string, param = 'endpoint'): Promise<void> {
    const { permitted, reason } = await this.ask(endpoint);
    if (permitted) return;
    throw invalidRequest(reason ?? 'The endpoint is not permitted.', param);
  }

  private async ask(endpoint: string): Promise<{ permitted: boolean; reason?: string }> {
    try {
      return await this.rpc.call(probeContracts.check, { endpoint }, { timeoutMs: PATIENCE_MS });
    } catch (error) {
      if (SvcError.is(error) && error.code === 'invalid_request') {
        return { permitted: false, reason: error.message };
      }
      this.logger.warn({ err: error }, 'an endpoint could not be checked');
      throw noCapacity(
        'The endpoint cannot be checked right now. Nothing was stored; retry.',
        RETRY_AFTER_SECONDS,
      );
    }
  }
}
