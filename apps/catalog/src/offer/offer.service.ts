import { Injectable } from '@nestjs/common';
import type { OfferStatus, SubmitOfferRequest, WithdrawOfferRequest } from '@svc/contracts';
import { internalError } from '@svc/errors';
import { EndpointPermission } from '../endpoint/endpoint-permission';
import { OfferStatusService } from '../offer-status/offer-status.service';
import { PublicationService } from '../publication/publication.service';
import { SignatureService } from '../signature/signature.service';
import { checkOffer } from './check-offer';
import { OfferStore } from './offer.store';

/** What providers offer. An act is stored whole or not at all; its nonce is used only when it is. */
@Injectable()
export class OfferService {
  constructor(
    private readonly store: OfferStore,
    private readonly statuses: OfferStatusService,
    private readonly signatures: SignatureService,
    private readonly endpoints: EndpointPermission,
    private readonly publication: PublicationService,
  ) {}

  /**
   * Makes an offer, or a new version of it.
   * @throws SvcError invalid_request with `param` (400, 403, 404, 409, 429); no_capacity while it cannot be checked
   */
  async submit(request: SubmitOfferRequest): Promise<OfferStatus> {
    const digest = await this.signatures.requireSigned('Offer', request, request.signature);
    checkOffer(await this.store.context(request), request, new Date());
    // Takes too long to have the provider's row locked meanwhile.
    await this.endpoints.require(request.endpoint);
    const offerId = await this.store.submit(request, digest, (context) =>
      checkOffer(context, request, new Date()),
    );
    return this.published(offerId);
  }

  /** @throws SvcError invalid_request with `param` (400, 403, 404, 409); no_capacity */
  async withdraw(request: WithdrawOfferRequest): Promise<OfferStatus> {
    await this.signatures.requireSigned('Withdrawal', request, request.signature);
    await this.store.withdraw(request);
    return this.published(request.offerId);
  }

  private async published(offerId: string): Promise<OfferStatus> {
    await this.publication.publishSoon();
    const status = await this.statuses.find(offerId);
    if (!status) throw internalError();
    return status;
  }
}
