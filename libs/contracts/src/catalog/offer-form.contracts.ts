import { IsId, IsModelId, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';
import type { BundleDefinition, ProfileDefinition } from './catalogue.contracts';
import type { OfferTerms } from './supply.contracts';

/** Asks for what a provider signed last of an offer of its own. Errors: invalid_request (404, also for another's offer). */
export class ShowOfferTermsRequest {
  @IsWallet()
  provider!: string;

  @IsId()
  offerId!: string;
}

/** The terms of the newest version, for the provider's eyes alone; the credential is sealed and told nobody. */
export interface SignedOfferTerms extends Omit<OfferTerms, 'nonce' | 'signature'> {
  offerId: string;
  version: number;
  hasCredential: boolean;
}

/** Asks which bundles of a model and which profiles are defined already. */
export class ListBuildsRequest {
  @IsModelId()
  model!: string;
}

/** The newest of each, at most `MOST_BUILDS`; others can still be named by their ids, or defined by their content. */
export interface DefinedBuilds {
  bundles: BundleDefinition[];
  profiles: ProfileDefinition[];
}

export const MOST_BUILDS = 100;

const queue = 'catalog';

/** What a provider fills the form of an offer with. */
export const offerFormContracts = {
  showOfferTerms: defineRpc<ShowOfferTermsRequest, SignedOfferTerms>({
    subject: 'catalog.v1.offer.terms',
    queue,
    timeoutMs: 5_000,
    request: ShowOfferTermsRequest,
  }),
  listBuilds: defineRpc<ListBuildsRequest, DefinedBuilds>({
    subject: 'catalog.v1.supply.builds',
    queue,
    timeoutMs: 5_000,
    request: ListBuildsRequest,
  }),
};
