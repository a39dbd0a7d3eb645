/** A block of the chain by number and hash; only the hash says which chain. */
export interface BlockRef {
  readonly number: number;
  readonly hash: string;
}

export interface BlockHeader extends BlockRef {
  readonly parentHash: string;
  /** When it was made, as it says itself; Unix seconds. */
  readonly timestamp: number;
}

/** What the settlement contract said. */
export interface SettlementEvent {
  readonly block: BlockRef;
  readonly logIndex: number;
  readonly txHash: string;
  readonly kind: 'pulled' | 'pull_failed' | 'batch_settled' | 'paid';
  /** Undefined for payouts. */
  readonly batchId: string | undefined;
  /** Payer or provider, lower case; undefined for a whole batch. */
  readonly wallet: string | undefined;
  /** Base units. */
  readonly amount: bigint;
}

/** The block whose figures all wallets have, and the one at the safe depth below it. */
export interface ChainPosition {
  readonly head: BlockRef;
  /** Its hash is undefined while that depth cannot be read. */
  readonly safe: { readonly number: number; readonly hash: string | undefined };
}

/** What the next commit has to change in what is known of the chain. */
export interface ChainStep {
  /** The last known block that is still on the chain; undefined when none is. */
  readonly ancestor: BlockRef | undefined;
  /** How many known blocks are no longer on it. */
  readonly dropped: number;
  /** Blocks above the ancestor, oldest first; the last is the head. Older ones than are kept may be missing. */
  readonly headers: readonly BlockHeader[];
  readonly events: readonly SettlementEvent[];
}

/** Thrown when the server's newest block lies below the last that was read, on the same chain: it lags, nothing was undone. */
export class ChainLagsError extends Error {
  override readonly name = 'ChainLagsError';
}

/** Thrown when the chain changed while it was being read: the next poll reads it anew. */
export class ChainMovedError extends Error {
  override readonly name = 'ChainMovedError';
}
