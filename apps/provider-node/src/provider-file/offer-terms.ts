import { createHash } from 'node:crypto';
import { bundleIdOf, offerIdOf, profileIdOf } from '@svc/supply-messages';
import type { BundleContent, OfferMessage, ProfileContent } from '@svc/supply-messages';
import type { BundleSection, OfferSection, ProfileSection } from './provider-file.dto';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_VALID_DAYS = 90;
const SECONDS_A_DAY = 86_400;

/** What an offer of the file says, but for what is known only when it is signed: nonce and expiry. */
type OfferTerms = Omit<OfferMessage, 'nonce' | 'expiresAt'>;

/** An offer of the file. */
export interface WantedOffer {
  /** The provider's own word for it, and its place in the file. */
  name: string;
  path: string;
  offerId: string;
  terms: OfferTerms;
  bundleDefinition?: BundleContent;
  profileDefinition?: ProfileContent;
  token?: string;
  /** How long it is to be good, or until when (Unix seconds). */
  validSeconds: number;
  expiresAt?: number;
}

/** The file's own words for its offers, by the id that the market knows each by. @param provider the wallet, in lower case */
export function offerNames(provider: string, sections: readonly OfferSection[]): ReadonlyMap<string, string> {
  return new Map(sections.map((section) => [wantedOffer(provider, section, '').offerId, section.name]));
}

/** @param provider the wallet, in lower case */
export function wantedOffer(provider: string, section: OfferSection, path: string): WantedOffer {
  const { model, endpoint, concurrency } = section;
  const bundleDefinition = bundleContent(model, section.bundle);
  const profileDefinition = profileContent(section.profile);
  const bundle = bundleDefinition ? bundleIdOf(bundleDefinition) : (section.bundle.id ?? '');
  const profile = profileDefinition ? profileIdOf(profileDefinition) : (section.profile.id ?? '');
  return {
    name: section.name,
    path,
    offerId: offerIdOf(provider, bundle, profile),
    bundleDefinition,
    profileDefinition,
    token: section.token,
    validSeconds: (section.valid_days ?? DEFAULT_VALID_DAYS) * SECONDS_A_DAY,
    ...(section.expires_at !== undefined && {
      expiresAt: Math.floor(new Date(section.expires_at).getTime() / 1_000),
    }),
    terms: {
      provider,
      model,
      bundle,
      profile,
      endpoint,
      concurrency,
      upstreamModel: section.upstream_model,
      inputPricePerMtok: String(section.input_price_per_mtok),
      outputPricePerMtok: String(section.output_price_per_mtok),
      contextLimit: section.context_limit,
      firstTokenTimeoutMs: section.first_token_timeout_ms ?? DEFAULT_TIMEOUT_MS,
      chunkTimeoutMs: section.chunk_timeout_ms ?? DEFAULT_TIMEOUT_MS,
    },
  };
}

/** Two offers are the same when this is; what is told apart by it needs a new signature. */
export function digestOfOffer({ terms, token, expiresAt, validSeconds }: WantedOffer): string {
  return digestOf([Object.entries(terms).sort(), token ?? null, expiresAt ?? validSeconds]);
}

/** The market has the same token for the same endpoint when this is the same. */
export function digestOfToken({ terms, token }: WantedOffer): string {
  return digestOf([terms.endpoint, token ?? null]);
}

function digestOf(parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Where the file says what a field of the market's is about.
 * @param param a field of the offer as the market's API calls it
 */
export function fieldOf(param: string, { path, expiresAt }: WantedOffer): string {
  const [head = '', ...rest] = param.split('.');
  const below = rest.length === 0 ? '' : `.${rest.join('.')}`;
  const places: Readonly<Record<string, string>> = {
    bundle: `${path}.bundle`,
    bundle_definition: `${path}.bundle${below}`,
    profile: `${path}.profile`,
    profile_definition: `${path}.profile${below}`,
    credential: `${path}.token`,
    expires_at: `${path}.${expiresAt === undefined ? 'valid_days' : 'expires_at'}`,
    provider: 'wallet',
    nonce: 'wallet',
    signature: 'wallet',
  };
  return places[head] ?? `${path}.${param}`;
}

function bundleContent(model: string, section: BundleSection): BundleContent | undefined {
  const { id, weights_digest: weightsDigest = '', quantisation = '', engine = '' } = section;
  return id === undefined ? { model, weightsDigest, quantisation, engine } : undefined;
}

function profileContent(section: ProfileSection): ProfileContent | undefined {
  const { id, hardware_class: hardwareClass = '', context_limit: contextLimit = 0 } = section;
  return id === undefined ? { hardwareClass, contextLimit, speedTier: section.speed_tier ?? '' } : undefined;
}
