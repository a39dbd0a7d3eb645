export { ACCESS_SECONDS, SUPPLY_TYPES, supplyDigest, supplyDomain } from './typed-data';
export type {
  AccessMessage,
  OfferMessage,
  RegistrationMessage,
  SupplyDomain,
  SupplyMessages,
  WithdrawalMessage,
} from './typed-data';
export { bundleIdOf, offerIdOf, profileIdOf } from './content-ids';
export type { BundleContent, ProfileContent } from './content-ids';
export { offerBodyOf } from './offer-body';
