import { Inject, Injectable } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import type { AdmittedHold, IdempotencyClaim, ResponsePart } from '@svc/contracts';
import { isNotFound } from '@svc/errors';
import { RpcClient, RpcUnavailableError } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { ResponseCipher } from '@svc/response-cipher';
import { GatewayConfig } from '../gateway.config';
import type { CallContext } from './admission.service';
import { Turns } from './turns';

/** How many are read at once: replies may have megabytes, and whoever repeats a request pays nothing for it. More of them wait … */
const READ_AT_ONCE = 16;
/** … up to this long. Most take some milliseconds. */
const READ_PATIENCE_MS = 5_000;

/** What billing keeps of idempotent requests. */
@Injectable()
export class IdempotencyRecords {
  private readonly cipher: ResponseCipher;
  private readonly reads = new Turns(READ_AT_ONCE, READ_PATIENCE_MS);

  constructor(
    @Inject(GatewayConfig) config: GatewayConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly rpc: RpcClient,
  ) {
    this.cipher = new ResponseCipher(config.responseKey, config.previousResponseKey);
  }

  /**
   * What stands under the key already.
   * @throws RpcUnavailableError; SvcError invalid_api_key, account_suspended; invalid_request (422) when another request does
   */
  async find(
    keyHash: string,
    claim: IdempotencyClaim,
    context: CallContext,
  ): Promise<AdmittedHold | undefined> {
    const request = { keyHash, idempotency: claim };
    return (await this.rpc.call(billingContracts.findIdempotent, request, context)).found ?? undefined;
  }

  /**
   * The reply of a completed request as it went to its client.
   * @param isWanted asked when its turn comes
   * @returns undefined when it is kept no longer, or not wanted any more
   * @throws RpcUnavailableError; UnreadableResponseError
   */
  async readReply(
    hold: AdmittedHold,
    context: CallContext,
    isWanted: () => boolean,
  ): Promise<Buffer | undefined> {
    const read = await this.reads.take(async () => (isWanted() ? this.readParts(hold, context) : undefined));
    if (!read) throw new RpcUnavailableError(billingContracts.readResponse.subject, 'timeout');
    return read.done;
  }

  private async readParts(
    { wallet, holdId }: AdmittedHold,
    { traceparent }: CallContext,
  ): Promise<Buffer | undefined> {
    const sealed: Buffer[] = [];
    for (let count = 1; sealed.length < count;) {
      const part = await this.readPart({ wallet, holdId, part: sealed.length }, traceparent);
      if (!part) return undefined;
      count = part.parts;
      sealed.push(Buffer.from(part.bytes, 'base64'));
    }
    try {
      return this.cipher.open({ wallet, holdId }, sealed);
    } catch (error) {
      this.logger.error({ requestId: holdId }, 'a stored reply cannot be read: was RESPONSE_KEY changed?');
      throw error;
    }
  }

  private async readPart(
    request: { wallet: string; holdId: string; part: number },
    traceparent: string | undefined,
  ): Promise<ResponsePart | undefined> {
    const options = { requestId: request.holdId, ...(traceparent !== undefined && { traceparent }) };
    try {
      return await this.rpc.call(billingContracts.readResponse, request, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
