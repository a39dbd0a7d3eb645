import type { components } from '../../../api/generated/schema';
import { baseToUsdc } from './price-text';

export type SignedTerms = components['schemas']['SignedTermsReply'];

/** Every field of the form by the name that the server gives it when it refuses one. */
export interface OfferValues {
  model: string;
  bundle: string;
  'bundle_definition.weights_digest': string;
  'bundle_definition.quantisation': string;
  'bundle_definition.engine': string;
  profile: string;
  'profile_definition.hardware_class': string;
  'profile_definition.context_limit': string;
  'profile_definition.speed_tier': string;
  endpoint: string;
  upstream_model: string;
  credential: string;
  /** USDC per million tokens, as typed. */
  input_price_per_mtok: string;
  output_price_per_mtok: string;
  concurrency: string;
  context_limit: string;
  first_token_timeout_ms: string;
  chunk_timeout_ms: string;
  /** Days from now. */
  expires_at: string;
}

export type OfferField = keyof OfferValues;

/** The form as it is filled in. */
export interface OfferDraft {
  values: OfferValues;
  /** Whether bundle and profile are chosen among those defined, or defined here. */
  definesBundle: boolean;
  definesProfile: boolean;
  /** Of an offer that stands: its token is taken away instead of kept. */
  dropsCredential: boolean;
}

const DEFAULT_DAYS = '90';

export const emptyDraft: OfferDraft = {
  values: {
    ...{ model: '', bundle: '', profile: '', endpoint: '', upstream_model: '', credential: '' },
    'bundle_definition.weights_digest': '',
    'bundle_definition.quantisation': '',
    'bundle_definition.engine': '',
    'profile_definition.hardware_class': '',
    'profile_definition.context_limit': '',
    'profile_definition.speed_tier': 'standard',
    ...{ input_price_per_mtok: '', output_price_per_mtok: '', concurrency: '4', context_limit: '' },
    ...{ first_token_timeout_ms: '10000', chunk_timeout_ms: '10000', expires_at: DEFAULT_DAYS },
  },
  definesBundle: false,
  definesProfile: false,
  dropsCredential: false,
};

/** The form of another version: all as it was signed last, for as long again. */
export function draftOf(terms: SignedTerms): OfferDraft {
  return {
    ...emptyDraft,
    values: {
      ...emptyDraft.values,
      model: terms.model,
      bundle: terms.bundle,
      profile: terms.profile,
      endpoint: terms.endpoint,
      upstream_model: terms.upstream_model,
      input_price_per_mtok: baseToUsdc(terms.input_price_per_mtok),
      output_price_per_mtok: baseToUsdc(terms.output_price_per_mtok),
      concurrency: String(terms.concurrency),
      context_limit: String(terms.context_limit),
      first_token_timeout_ms: String(terms.first_token_timeout_ms),
      chunk_timeout_ms: String(terms.chunk_timeout_ms),
    },
  };
}
