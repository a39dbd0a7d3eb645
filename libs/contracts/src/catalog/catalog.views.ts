import type { OutputLimitField, ReasoningField } from './answering.contracts';
import type { ModelCapabilities, ToolContract } from './catalogue.contracts';

/**
 * The catalogue's published views: JetStream KV buckets that the catalogue alone writes. A reader holds the whole
 * view in memory and goes on with the last one when the catalogue is away. Two buckets, so that the gateway
 * cannot read where providers live.
 */
export const CATALOG_BUCKETS = { models: 'catalog_models', offers: 'catalog_offers' } as const;

/** One model as the gateway shows it. Key in the bucket: `catalogKey(id)`. */
export interface ModelView {
  id: string;
  /** Unix seconds. */
  created: number;
  ownedBy: string;
  /** That of the offer whose `capabilities` are shown, within the definition. */
  contextLimit: number;
  /**
   * What one live offer is certified for: the one that can do most, so that whatever is within can be served. While nobody
   * serves, what such an offer was certified for last.
   */
  capabilities: ModelCapabilities;
  toolContract?: ToolContract;
  /**
   * The contract that is shown lacks calls in parallel, or there is none, but another offer that may answer has them: one of the
   * marketplace, or a managed vendor where those answer for named models.
   */
  parallelCalls?: boolean;
  /** With `parallelCalls`: what else those others can do, each by one of them at least. */
  parallelBeside?: ParallelBeside;
  /**
   * Of the live offer with the lowest blended price (`blendedPriceOf`), base units per million tokens; absent while nobody serves the
   * model.
   */
  pricing?: ViewPricing;
  /** What managed vendors ask at most; absent where there is none. */
  managedPricing?: ViewPricing;
}

export interface ParallelBeside {
  strictSchemas: boolean;
  structuredOutputs: boolean;
}

/** Base units per million tokens. */
export interface ViewPricing {
  inputPricePerMtok: string;
  outputPricePerMtok: string;
}

/** A routing model as operators define it; what it can do follows from its candidates. In the bucket of the models, under its id. */
export interface RoutingModelView {
  id: string;
  /** Unix seconds. */
  created: number;
  ownedBy: string;
  candidates: string[];
  maxInputPricePerMtok: string;
  maxOutputPricePerMtok: string;
}

/**
 * One live offer as cortex and dispatch need it, or a managed vendor, which is told by its `mapping` and stands here as an offer of its
 * own: id `managed-<mapping>`, bundle `managed`, profile the mapping, provider the payee. Key in the bucket: `catalogKey(offerId)`.
 */
export interface OfferView {
  offerId: string;
  /** Of a managed vendor. */
  mapping?: string;
  /** The signed version whose terms these are; of a managed vendor, how often it was redefined. */
  version: number;
  model: string;
  /** The provider's wallet. */
  provider: string;
  bundleId: string;
  profileId: string;
  endpoint: string;
  upstreamModel: string;
  /** What it takes the output's limit by; `max_tokens` where it is absent. */
  outputLimitField?: OutputLimitField;
  /** The endpoint's bearer token, sealed for dispatch. */
  credential?: string;
  /** What it may be asked for. */
  certified: CertifiedFeatures;
  contextLimit: number;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  /** Certified. */
  concurrency: number;
  firstTokenTimeoutMs: number;
  chunkTimeoutMs: number;
  /** Unix milliseconds: what was signed, or the certification, is over then, also while the catalogue is away. Absent of a managed vendor. */
  endsAtMs?: number;
}

/** What requests an offer was certified for. */
export interface CertifiedFeatures {
  /** For people who look into the view: no service goes by it. */
  certificationId: string;
  structuredOutputs: boolean;
  maxOutputTokens: number;
  /** Its model thinks before it answers, also when nobody asks it to. */
  reasoning?: boolean;
  /** By which field it takes back what it thought; absent where it does not. */
  reasoningField?: ReasoningField;
  /** Absent without tools. */
  tools?: { choices: string[]; parallelCalls: boolean; strictSchemas: boolean };
}

/** Whether an offer serves no more, though nobody has taken it from the view yet. */
export function isOfferOver({ endsAtMs = Infinity }: Pick<OfferView, 'endsAtMs'>, nowMs: number): boolean {
  return endsAtMs <= nowMs;
}

const MANAGED_OFFER = 'managed-';

/** Under which a managed vendor stands among the offers. */
export function managedOfferId(mapping: string): string {
  return `${MANAGED_OFFER}${mapping}`;
}

/** Whether an offer's id is a managed vendor's: nobody signed or certified it, and nobody watches it. */
export function isManagedOfferId(offerId: string): boolean {
  return offerId.startsWith(MANAGED_OFFER);
}

/** A key that JetStream KV takes (model ids hold `@`, which it refuses). */
export function catalogKey(id: string): string {
  return Buffer.from(id, 'utf8').toString('base64url');
}
