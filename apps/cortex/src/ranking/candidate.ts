/** An offer that could serve a request, with all that ranking looks at. */
export interface Candidate {
  readonly offerId: string;
  /** Of the offer's id (`hashOf`): tells offers apart where chance decides. */
  readonly hash: number;
  /** The provider's wallet. */
  readonly provider: string;
  /** What the request costs with it at most, in millionths of a base unit (`requestPrice`). */
  readonly price: bigint;
  /** What it probably costs (`likelyDemand`), in the same: what offers are ranked by. */
  readonly likelyPrice: bigint;
  /** How many requests the offer takes at once. */
  readonly concurrency: number;
  /** Its context holds the least that the prompt can need, not all that it may: it may refuse the request. */
  readonly cramped: boolean;
  readonly health: OfferHealth;
}

/** How an offer has been doing of late. */
export interface OfferHealth {
  /** Share of attempts that failed, 0 to 1, recent ones counting most. */
  readonly errorRate: number;
  /** Recent mean time to the first token in ms; undefined while nothing is known. */
  readonly firstTokenMs: number | undefined;
  /** Requests that are probably under way, over all dispatch instances; not always a whole number. */
  readonly inFlight: number;
}
