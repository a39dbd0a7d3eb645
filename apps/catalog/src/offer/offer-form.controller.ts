import { Controller } from '@nestjs/common';
import { catalogContracts } from '@svc/contracts';
import type {
  DefinedBuilds,
  ListBuildsRequest,
  ShowOfferTermsRequest,
  SignedOfferTerms,
} from '@svc/contracts';
import { notFound } from '@svc/errors';
import { HandleRpc } from '@svc/messaging';
import { OfferFormStore } from './offer-form.store';

/** What a provider fills the form of an offer with. */
@Controller()
export class OfferFormController {
  constructor(private readonly store: OfferFormStore) {}

  @HandleRpc(catalogContracts.showOfferTerms)
  async terms({ provider, offerId }: ShowOfferTermsRequest): Promise<SignedOfferTerms> {
    const terms = await this.store.terms(provider, offerId);
    if (terms) return terms;
    throw notFound(`The provider ${provider} has no offer ${offerId}.`, 'offerId');
  }

  @HandleRpc(catalogContracts.listBuilds)
  builds({ model }: ListBuildsRequest): Promise<DefinedBuilds> {
    return this.store.builds(model);
  }
}
