import { Inject, Injectable } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import { conflict, invalidRequest } from '@svc/errors';
import type { FastifyRequest } from 'fastify';
import { GatewayConfig } from '../../../gateway.config';
import { ServiceClient } from '../../../messaging/service-client';
import { PortalOrigins } from '../portal-origins';
import { foreignOrigin, otherHost } from '../session-refusals';
import { Nonces } from './nonces';
import { readSignInMessage } from './sign-in-message';
import type { SignInBody } from './sign-in.dto';
import { UsedNonces } from './used-nonces';

/** Who shows, by signing a message of ours, that a wallet is theirs. */
@Injectable()
export class SignInService {
  constructor(
    private readonly billing: ServiceClient,
    private readonly origins: PortalOrigins,
    private readonly nonces: Nonces,
    private readonly used: UsedNonces,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
  ) {}

  /**
   * @returns the wallet; billing may not know it yet: whoever asks billing of it makes it known
   * @throws SvcError invalid_request with what does not fit; 409 when the nonce was used; no_capacity
   */
  async identify(request: FastifyRequest, { message, signature }: SignInBody): Promise<string> {
    const nowMs = Date.now();
    const { wallet, nonce } = readSignInMessage(message, {
      origin: this.originOf(request),
      chainId: this.config.chainId,
      nowMs,
    });
    const problem = this.nonces.problemWith(nonce, request.headers.cookie, nowMs);
    if (problem === 'expired') throw invalidRequest('The nonce has expired; sign in again.', 'message');
    if (problem) throw invalidRequest('The nonce was not given to this browser; sign in again.', 'message');
    const call = { wallet, message, signature };
    const { isValid } = await this.billing.call(billingContracts.verifySignature, call, request.id);
    if (!isValid) throw invalidRequest(`This is no signature of ${wallet} under the message.`, 'signature');
    if (!(await this.used.use(nonce))) throw conflict('The nonce was used before; sign in again.', 'message');
    return wallet;
  }

  /** The page's origin: where it was sent from, which must be where it was sent to. */
  private originOf({ host, headers }: FastifyRequest): string {
    const origin = this.origins.ofHost(host);
    if (origin === undefined && this.origins.has(headers.origin)) throw otherHost();
    if (origin === undefined || headers.origin !== origin) throw foreignOrigin(this.origins.nearest(host));
    return origin;
  }
}
