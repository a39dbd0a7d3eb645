import { bundleIdOf, profileIdOf } from '@svc/supply-messages';
import type { OfferMessage } from '@svc/supply-messages';
import { readTypedUsdc } from '../../../design/money';
import { tooLong } from '../../../design/too-long';
import type { OfferDraft, OfferField, OfferValues } from './offer-draft';

export type FieldErrors = Partial<Record<OfferField, string>>;

/** What the form comes to: what is signed, and what is sent beside it. */
export interface ReadOffer {
  terms: Omit<OfferMessage, 'provider' | 'nonce'>;
  bundle_definition?: { weights_digest: string; quantisation: string; engine: string };
  profile_definition?: { hardware_class: string; context_limit: number; speed_tier: string };
  credential?: string;
}

type DraftReading = { ok: true; offer: ReadOffer } | { ok: false; errors: FieldErrors };

/** What the market allows, from `GET /v1/supply/terms`. */
export interface OfferLimits {
  max_offer_seconds: number;
  max_credential_length: number;
}

const SECONDS_A_DAY = 86_400;
/** The market's clock may be behind. */
const CLOCK_SECONDS = 60;

/**
 * Reads the form. What only the market can know (whether the endpoint answers, whether a price is allowed) it says itself.
 * @param nowSeconds Unix time
 */
export function readDraft(draft: OfferDraft, limits: OfferLimits, nowSeconds: number): DraftReading {
  const errors: FieldErrors = {};
  const values = trimmed(draft.values);
  const text: ReadText = (field, words, most = Infinity) => {
    const problem = values[field] === '' ? words : tooLong(values[field], most);
    if (problem !== undefined) errors[field] = problem;
    return values[field];
  };
  const whole = (field: OfferField, least: number, most: number) => {
    const value = Number(values[field]);
    if (/^\d+$/.test(values[field]) && value >= least && value <= most) return value;
    errors[field] = `Give a whole number from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}.`;
    return 0;
  };
  const price = (field: OfferField) => {
    const base = readTypedUsdc(values[field]);
    if (base === undefined) errors[field] = 'Give an amount of USDC with at most six decimals, such as 0.25.';
    return (base ?? 0n).toString();
  };
  const model = text('model', 'Choose the model that you serve.');
  const bundle = readBundle(draft, model, text);
  const profile = readProfile(draft, text, whole);
  const terms = {
    model,
    bundle: bundle.id,
    profile: profile.id,
    endpoint: readEndpoint(text, errors),
    upstreamModel: text('upstream_model', 'Give the model’s name on your server.', 200),
    inputPricePerMtok: price('input_price_per_mtok'),
    outputPricePerMtok: price('output_price_per_mtok'),
    concurrency: whole('concurrency', 1, 512),
    contextLimit: whole('context_limit', 1, 100_000_000),
    firstTokenTimeoutMs: whole('first_token_timeout_ms', 500, 120_000),
    chunkTimeoutMs: whole('chunk_timeout_ms', 500, 120_000),
    expiresAt:
      nowSeconds +
      whole('expires_at', 1, Math.floor(limits.max_offer_seconds / SECONDS_A_DAY)) * SECONDS_A_DAY,
  };
  terms.expiresAt = Math.min(terms.expiresAt, nowSeconds + limits.max_offer_seconds - CLOCK_SECONDS);
  if (terms.inputPricePerMtok === '0' && terms.outputPricePerMtok === '0')
    errors.output_price_per_mtok ??= 'Ask something for input or for output.';
  const credential = readCredential(draft, limits, errors);
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  return {
    ok: true,
    offer: {
      terms,
      bundle_definition: bundle.definition,
      profile_definition: profile.definition,
      credential,
    },
  };
}

/** The text of a field, of at most `most` characters; `words` say what is missing where there is none. */
type ReadText = (field: OfferField, words: string, most?: number) => string;
type ReadWhole = (field: OfferField, least: number, most: number) => number;

function readBundle({ definesBundle }: OfferDraft, model: string, text: ReadText) {
  if (!definesBundle) return { id: text('bundle', 'Choose the build that you run, or define it.') };
  const definition = {
    weights_digest: text('bundle_definition.weights_digest', 'Say which weights, best by their digest.', 120),
    quantisation: text('bundle_definition.quantisation', 'Say how they are quantised, or “none”.', 40),
    engine: text('bundle_definition.engine', 'Say which engine runs them, with its version.', 80),
  };
  const { weights_digest: weightsDigest, quantisation, engine } = definition;
  return { id: bundleIdOf({ model, weightsDigest, quantisation, engine }), definition };
}

function readProfile({ definesProfile }: OfferDraft, text: ReadText, whole: ReadWhole) {
  if (!definesProfile) return { id: text('profile', 'Choose how you run it, or define it.') };
  const definition = {
    hardware_class: text('profile_definition.hardware_class', 'Say what it runs on, such as 1x-l40s.', 80),
    context_limit: whole('profile_definition.context_limit', 1, 100_000_000),
    speed_tier: text('profile_definition.speed_tier', 'Say how fast it is, such as “standard”.', 40),
  };
  const { hardware_class: hardwareClass, context_limit: contextLimit, speed_tier: speedTier } = definition;
  return { id: profileIdOf({ hardwareClass, contextLimit, speedTier }), definition };
}

function readEndpoint(text: ReadText, errors: FieldErrors): string {
  const words = 'Give the base URL of your server, such as https://llm.example.com/v1.';
  const endpoint = text('endpoint', words, 300);
  if (!/^https?:\/\/[^\s/]+/.test(endpoint) || !URL.canParse(endpoint)) errors.endpoint ??= words;
  return endpoint;
}

/** Undefined keeps the one before; an empty one takes it away. */
function readCredential(
  { values: { credential }, dropsCredential }: OfferDraft,
  { max_credential_length: longest }: OfferLimits,
  errors: FieldErrors,
): string | undefined {
  if (dropsCredential) return '';
  if (credential === '') return undefined;
  if (!/^[\x21-\x7e]{8,}$/.test(credential) || credential.length > longest)
    errors.credential = `A token has 8 to ${longest} printable characters and no blanks.`;
  return credential;
}

/** Blanks around what was typed or pasted mean nothing, but in a credential. */
function trimmed(values: OfferValues): OfferValues {
  const entries = Object.entries(values).map(([field, value]: [string, string]) => [field, value.trim()]);
  return Object.fromEntries(entries) as OfferValues;
}
