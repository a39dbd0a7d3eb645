import { Injectable } from '@nestjs/common';
import type {
  IdentifyProviderRequest,
  ProviderStatus,
  RegisterProviderRequest,
  ShowProviderRequest,
} from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { OfferStatusService } from '../offer-status/offer-status.service';
import { SignatureService } from '../signature/signature.service';
import { accessFault } from './access';
import { requireRegistered } from './provider-act';
import { ProviderStore } from './provider.store';
import { suspensionOf } from './suspension';

/** Who sells. */
@Injectable()
export class ProviderService {
  constructor(
    private readonly store: ProviderStore,
    private readonly offers: OfferStatusService,
    private readonly signatures: SignatureService,
  ) {}

  /** @throws SvcError invalid_request (`signature`, `nonce`, `provider`), no_capacity */
  async register(request: RegisterProviderRequest): Promise<ProviderStatus> {
    await this.signatures.requireSigned('Registration', request, request.signature);
    await this.store.register(request);
    return this.show(request);
  }

  /** @throws SvcError invalid_request (404 `provider`) */
  async show({ provider: wallet }: Pick<ShowProviderRequest, 'provider'>): Promise<ProviderStatus> {
    const row = requireRegistered(await this.store.find(wallet), wallet);
    return {
      provider: row.wallet,
      name: row.name,
      registeredAt: row.createdAt.toISOString(),
      nonce: Number(row.nonce),
      suspension: suspensionOf(row),
      offers: await this.offers.ofProvider(wallet),
    };
  }

  /**
   * Who asks, by a message that the provider has signed a short while ago; whether it is registered does not matter here.
   * @throws SvcError invalid_api_key, no_capacity
   */
  async identify(request: IdentifyProviderRequest): Promise<{ provider: string }> {
    const fault = accessFault(request, Math.floor(Date.now() / 1_000));
    if (fault !== undefined) throw refusedAccess(fault);
    if (!(await this.signatures.isSigned('Access', request, request.signature)))
      throw refusedAccess(
        `The access is not signed by ${request.provider}, as /v1/supply/terms says (EIP-712).`,
      );
    return { provider: request.provider };
  }
}

/** It opens what is the provider's alone; there is no key to be found out, so the words may say what is wrong. */
function refusedAccess(message: string): SvcError {
  return new SvcError({ code: 'invalid_api_key', message });
}
