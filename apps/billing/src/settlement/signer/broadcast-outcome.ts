import { isError } from 'ethers';

/**
 * What is known after a transaction was handed to a server:
 * - `sent`: the server has it, or had it already
 * - `nonce_used`: a transaction of this nonce is on the chain, ours or another
 * - `underpriced`: it needs a higher fee than this, or than another one of its nonce
 * - `insufficient_gas`: the signer cannot pay for it
 * - `fee_above_cap`: it may cost more than the server lets through
 * - `unknown`: everything else; it may be on its way all the same
 */
export type BroadcastOutcome =
  'sent' | 'nonce_used' | 'underpriced' | 'insufficient_gas' | 'fee_above_cap' | 'unknown';

/** Servers agree on no codes: these are the words that geth, Erigon, Nethermind, Besu, Reth and anvil say it with. */
const WORDS: readonly (readonly [RegExp, BroadcastOutcome])[] = [
  [/already ?(known|imported|exists)|known transaction|ALREADY_EXISTS|existing tx with same hash/i, 'sent'],
  [/nonce (is )?too low|old ?nonce|nonce has already been used/i, 'nonce_used'],
  [
    /underpriced|fee ?too ?low|less than block base fee|gas price (too low|below)|could not replace|ReplacementNotAllowed/i,
    'underpriced',
  ],
  [/insufficient[ _]?(funds|balance)|upfront cost exceeds/i, 'insufficient_gas'],
  [/exceeds (the )?configured cap|fee cap exceeded/i, 'fee_above_cap'],
];

/** Reads what a server's refusal means. */
export function outcomeOf(error: unknown): BroadcastOutcome {
  const said = wordsOf(error);
  const known = WORDS.find(([pattern]) => pattern.test(said));
  if (known) return known[1];
  if (isError(error, 'NONCE_EXPIRED')) return 'nonce_used';
  if (isError(error, 'REPLACEMENT_UNDERPRICED')) return 'underpriced';
  if (isError(error, 'INSUFFICIENT_FUNDS')) return 'insufficient_gas';
  return 'unknown';
}

/** The server's own words come first: the client's reading of them is a guess too. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { info, error: inner } = error as {
    info?: { error?: { message?: string } };
    error?: { message?: string };
  };
  return info?.error?.message ?? inner?.message ?? error.message;
}
