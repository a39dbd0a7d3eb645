import { Nested } from '@svc/validation';
import { IsInt, IsOptional, IsString, Length, Matches, Max, MaxLength, Min } from 'class-validator';
import { IsBaseUnits, IsId, IsModelId, IsPlainText, IsSignature, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';
import { BundleDefinition, ProfileDefinition } from './catalogue.contracts';
import type { CertificationProgress } from './certification.contracts';

/** The highest price of an offer, base units per million tokens: a million USDC. */
export const MAX_PRICE_PER_MTOK = 1_000_000_000_000n;
/** A provider's nonces and moments are within what JSON carries exactly. */
const MAX_COUNTER = Number.MAX_SAFE_INTEGER;

/**
 * What every act of a provider is signed with (EIP-712, `@svc/supply-messages`). The nonce is above every one that the provider used
 * before: an act is done once, and none that was signed before it can follow.
 */
export class SignedAct {
  @IsWallet()
  provider!: string;

  @IsInt()
  @Min(1)
  @Max(MAX_COUNTER)
  nonce!: number;

  @IsSignature()
  signature!: string;
}

/**
 * A provider joins, or changes its name. Errors: invalid_request (400 with `param`: `signature`, `nonce`, …; 409 when the nonce was
 * used; 403 when suspended).
 */
export class RegisterProviderRequest extends SignedAct {
  @IsString()
  @Length(1, 80)
  @IsPlainText()
  name!: string;

  /** How operators reach the provider; shown to nobody else. */
  @IsString()
  @MaxLength(200)
  @IsPlainText()
  contact!: string;
}

/** What an offer says; all of it is signed. */
export class OfferTerms extends SignedAct {
  @IsModelId()
  model!: string;

  @IsId()
  bundle!: string;

  @IsId()
  profile!: string;

  /** Base URL of an OpenAI-compatible server, up to and including `/v1`. */
  @Matches(/^https?:\/\/[^\s/]+/, { message: 'must be an http or https URL' })
  @MaxLength(300)
  @IsPlainText()
  endpoint!: string;

  /** The model's name on that server. */
  @IsString()
  @Length(1, 200)
  @IsPlainText()
  upstreamModel!: string;

  /** Base units per million tokens. */
  @IsBaseUnits()
  inputPricePerMtok!: string;

  @IsBaseUnits()
  outputPricePerMtok!: string;

  /** Requests at once, as the provider says; certification finds how many hold, and asks as many at once to do so. */
  @IsInt()
  @Min(1)
  @Max(512)
  concurrency!: number;

  /** Tokens of input and output together. */
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  contextLimit!: number;

  /** How long the first token may take, and the silence between two chunks. */
  @IsInt()
  @Min(500)
  @Max(120_000)
  firstTokenTimeoutMs!: number;

  @IsInt()
  @Min(500)
  @Max(120_000)
  chunkTimeoutMs!: number;

  /** Unix seconds: when the offer ends by itself. */
  @IsInt()
  @Min(1)
  @Max(MAX_COUNTER)
  expiresAt!: number;
}

/**
 * Makes an offer, or a new version of it: offers are told apart by provider, bundle and profile. A version of a
 * certified offer that differs in prices and end alone, or takes fewer requests at once, is live at once, for holds made from then on;
 * another is certified first while the one before goes on serving.
 * Errors: invalid_request (400 with `param`; 403, 404, 409, 429).
 */
export class SubmitOfferRequest extends OfferTerms {
  /** Defines the bundle that the terms name, if the catalogue does not know it; its id follows from its content. */
  @IsOptional()
  @Nested(() => BundleDefinition)
  bundleDefinition?: BundleDefinition;

  @IsOptional()
  @Nested(() => ProfileDefinition)
  profileDefinition?: ProfileDefinition;

  /**
   * The endpoint's bearer token, sealed for dispatch (`@svc/credential-seal`). It is sealed anew each time, so one that is sent
   * counts as changed; without one, that of the version before stays if the endpoint is the same; an empty one takes it away.
   */
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  credential?: string;
}

/** Takes an offer off the market for good; requests under way finish. Errors: as for `SubmitOfferRequest`. */
export class WithdrawOfferRequest extends SignedAct {
  @IsId()
  offerId!: string;
}

export class ShowProviderRequest {
  @IsWallet()
  provider!: string;
}

/**
 * Proves for a few minutes that who asks is the provider, to read what only it may. Errors: invalid_api_key (401) when it is not
 * signed by the provider, over, or longer than it may be.
 */
export class IdentifyProviderRequest {
  @IsWallet()
  provider!: string;

  /** Unix seconds. */
  @IsInt()
  @Min(1)
  @Max(MAX_COUNTER)
  issuedAt!: number;

  @IsInt()
  @Min(1)
  @Max(MAX_COUNTER)
  expiresAt!: number;

  @IsSignature()
  signature!: string;
}

export class ShowSupplyTermsRequest {}

/** What a provider must know to sign. */
export interface SupplyTerms {
  /** The EIP-712 domain of every act: a signature is good on this chain and for this contract alone. */
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  maxPricePerMtok: string;
  maxOffersPerProvider: number;
  /** Of a signed offer, seconds from now. */
  maxOfferSeconds: number;
}

/**
 * - `certifying`: never certified, and probes are queued or running
 * - `refused`: certification failed
 * - `live`: serves
 * - `suspended`: by an operator, or because watching found something; `reason` says what
 * - `expired`, `withdrawn`: over, until a new version is signed
 */
export type OfferState = 'certifying' | 'refused' | 'live' | 'suspended' | 'expired' | 'withdrawn';

/** Why an offer is not live. */
export interface OfferReason {
  /**
   * A word of the code's own: `expired`, `certification_expired`, `operator`, `provider_suspended`, `price_above_ceiling`,
   * `no_heartbeat`, `failing`, `invalid_output`, `usage_inflated`, `drift`, or the failing probe.
   */
  code: string;
  message: string;
}

/** How the offer has been doing of late, from real traffic, old requests counting less; absent figures are not known. */
export interface OfferHealth {
  errorRate?: number;
  invalidRate?: number;
  firstTokenMs?: number;
  tokensPerSecond?: number;
  /** UTC; when the endpoint last answered a heartbeat or a request. */
  lastSeenAt?: string;
}

export interface OfferStatus {
  offerId: string;
  provider: string;
  model: string;
  bundle: string;
  profile: string;
  /** The newest signed version, and the one that serves when the offer is live; null before one was certified. */
  version: number;
  liveVersion: number | null;
  /** The newest version's terms; the endpoint is nobody's business but the provider's. */
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  concurrency: number;
  contextLimit: number;
  /** UTC. */
  expiresAt: string;
  state: OfferState;
  reason?: OfferReason;
  /** Why an operator suspended the offer itself, also where something else is the reason that is told. */
  suspensionReason?: string;
  /** Of the version that serves. */
  certificationId?: string;
  /** The newest full certification, of whichever version; canaries are watching's. */
  certification?: CertificationProgress;
  health: OfferHealth;
}

export interface ProviderStatus {
  provider: string;
  name: string;
  /** UTC. */
  registeredAt: string;
  /** The highest nonce used. */
  nonce: number;
  suspension: { at: string; reason: string } | null;
  offers: OfferStatus[];
}

const queue = 'catalog';

export const supplyContracts = {
  showSupplyTerms: defineRpc<ShowSupplyTermsRequest, SupplyTerms>({
    subject: 'catalog.v1.supply.terms',
    queue,
    timeoutMs: 2_000,
    request: ShowSupplyTermsRequest,
  }),
  registerProvider: defineRpc<RegisterProviderRequest, ProviderStatus>({
    subject: 'catalog.v1.provider.register',
    queue,
    timeoutMs: 10_000,
    request: RegisterProviderRequest,
  }),
  showProvider: defineRpc<ShowProviderRequest, ProviderStatus>({
    subject: 'catalog.v1.provider.show',
    queue,
    timeoutMs: 5_000,
    request: ShowProviderRequest,
  }),
  identifyProvider: defineRpc<IdentifyProviderRequest, { provider: string }>({
    subject: 'catalog.v1.provider.identify',
    queue,
    timeoutMs: 8_000,
    request: IdentifyProviderRequest,
  }),
  submitOffer: defineRpc<SubmitOfferRequest, OfferStatus>({
    subject: 'catalog.v1.offer.submit',
    queue,
    timeoutMs: 15_000,
    request: SubmitOfferRequest,
  }),
  withdrawOffer: defineRpc<WithdrawOfferRequest, OfferStatus>({
    subject: 'catalog.v1.offer.withdraw',
    queue,
    timeoutMs: 10_000,
    request: WithdrawOfferRequest,
  }),
};
