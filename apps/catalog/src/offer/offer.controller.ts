import { Controller, Inject } from '@nestjs/common';
import { MAX_PRICE_PER_MTOK, catalogContracts } from '@svc/contracts';
import type {
  OfferStatus,
  ShowSupplyTermsRequest,
  SubmitOfferRequest,
  SupplyTerms,
  WithdrawOfferRequest,
} from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import type { SupplyDomain } from '@svc/supply-messages';
import { SUPPLY_DOMAIN } from '../signature/tokens';
import { OfferService } from './offer.service';
import { MAX_OFFER_SECONDS, SUPPLY_LIMITS } from './supply-limits';
import type { SupplyLimits } from './supply-limits';

@Controller()
export class OfferController {
  constructor(
    private readonly offers: OfferService,
    @Inject(SUPPLY_DOMAIN) private readonly domain: SupplyDomain,
    @Inject(SUPPLY_LIMITS) private readonly limits: SupplyLimits,
  ) {}

  @HandleRpc(catalogContracts.showSupplyTerms)
  terms(_request: ShowSupplyTermsRequest): SupplyTerms {
    return {
      domain: this.domain,
      maxPricePerMtok: MAX_PRICE_PER_MTOK.toString(),
      maxOffersPerProvider: this.limits.offers,
      maxOfferSeconds: MAX_OFFER_SECONDS,
    };
  }

  @HandleRpc(catalogContracts.submitOffer)
  submit(request: SubmitOfferRequest): Promise<OfferStatus> {
    return this.offers.submit(request);
  }

  @HandleRpc(catalogContracts.withdrawOffer)
  withdraw(request: WithdrawOfferRequest): Promise<OfferStatus> {
    return this.offers.withdraw(request);
  }
}
