/** An offer that could serve a request, with all that ranking looks at. */
export interface Candidate {
  readonly offerId: string;
  /** The provider's wallet. */
  readonly provider: string;
  /** Base units per million tokens. */
  readonly inputPricePerMtok: bigint;
  readonly outputPricePerMtok: bigint;
  /** How many requests the offer takes at once. */
  readonly concurrency: number;
  readonly health: OfferHealth;
}

/** How an offer has been doing of late. */
export interface OfferHealth {
  /** Share of attempts that failed, 0 to 1, recent ones counting most. */
  readonly errorRate: number;
  /** Recent mean time to the first token in ms; undefined while nothing is known. */
  readonly firstTokenMs: number | undefined;
  /** Requests under way, over all dispatch instances. */
  readonly inFlight: number;
}

/** What a request needs, in tokens: upper bounds. */
export interface Demand {
  readonly inputTokens: number;
  readonly outputTokens: number;
}
