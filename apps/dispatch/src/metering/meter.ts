import type { TokenSource } from '@svc/contracts';
import { TOKENS_PER_MTOK, priceOf } from '@svc/money';
import type { TokenPrices } from '@svc/money';
import { silentTokens } from '../validation/reply-size';
import type { ClaimedUsage } from '../validation/whole-reply';
import { countOutputTokens } from './token-count';

/** What is known of a reply that is to be charged. */
export interface Observation {
  /** What the provider says; undefined when it says nothing that can be used. */
  claimed: ClaimedUsage | undefined;
  /** UTF-8 bytes the model wrote that the client gets to see. */
  outputBytes: number;
  toolCalls: number;
  /** The marketplace's own count of the prompt; asked only when needed. */
  countPrompt: () => number;
}

/** What the hold was made for. */
export interface HoldTerms {
  inputEstimate: number;
  maxTokens: number;
  /** Base units. */
  held: bigint;
  /** The serving attempt's. */
  prices: TokenPrices;
}

/** What is charged. Cost never exceeds the hold. */
export interface Metered {
  promptTokens: number;
  completionTokens: number;
  tokenSource: TokenSource;
  /** Base units. */
  cost: bigint;
  /** What the claim, as far as it is believed, would cost beyond `cost`, base units: paid by nobody, a figure for logs and metrics. */
  unpaid: bigint;
}

/**
 * Decides what is charged for a reply.
 * - A claim is believed as far as the observed bytes allow: no token is shorter than a byte, no prompt longer than its estimate.
 * - Without one the marketplace counts.
 * - Either is clamped to what the hold was made for, and nobody pays for the rest: the provider was sent `max_tokens`.
 */
export function meter(observed: Observation, terms: HoldTerms): Metered {
  const believed = observed.claimed ? believe(observed.claimed, observed, terms) : count(observed);
  const { prices } = terms;
  const clamped = clampToHold(believed, terms);
  const cost = priceOf(prices, clamped.promptTokens, clamped.completionTokens);
  // A count of our own is no claim.
  const asked = observed.claimed ? priceOf(prices, believed.promptTokens, believed.completionTokens) : cost;
  return { ...clamped, tokenSource: believed.tokenSource, cost, unpaid: asked - cost };
}

type Believed = Pick<Metered, 'promptTokens' | 'completionTokens' | 'tokenSource'>;

function believe(claimed: ClaimedUsage, observed: Observation, { inputEstimate }: HoldTerms): Believed {
  const possible = observed.outputBytes + silentTokens(observed.toolCalls);
  const promptTokens = Math.min(claimed.promptTokens, inputEstimate);
  const completionTokens = Math.min(claimed.completionTokens, possible);
  const capped = promptTokens < claimed.promptTokens || completionTokens < claimed.completionTokens;
  return { promptTokens, completionTokens, tokenSource: capped ? 'capped' : 'provider' };
}

function count(observed: Observation): Believed {
  return {
    promptTokens: observed.countPrompt(),
    completionTokens: countOutputTokens(observed.outputBytes),
    tokenSource: 'counted',
  };
}

/**
 * The hold is the price of `inputEstimate` and `maxTokens` at the plan's dearest offer, so staying within these two is enough.
 * That the hold was made so is not taken for granted: what still exceeds it is cut too.
 */
function clampToHold(
  believed: Believed,
  terms: HoldTerms,
): { promptTokens: number; completionTokens: number } {
  const { prices, held, inputEstimate, maxTokens } = terms;
  const scaled = held * TOKENS_PER_MTOK;
  const promptTokens = Math.min(
    believed.promptTokens,
    inputEstimate,
    wholeTokens(scaled, prices.inputPerMtok),
  );
  const left = scaled - BigInt(promptTokens) * prices.inputPerMtok;
  const completionTokens = Math.min(
    believed.completionTokens,
    maxTokens,
    wholeTokens(left, prices.outputPerMtok),
  );
  return { promptTokens, completionTokens };
}

/** How many tokens a scaled amount (base units · 10^6) pays for. */
function wholeTokens(scaled: bigint, pricePerMtok: bigint): number {
  return pricePerMtok === 0n ? Infinity : Number(scaled / pricePerMtok);
}
