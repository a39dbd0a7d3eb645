/** How often a wallet is looked at while somebody listens: two reads of billing's by index, however many listen. */
export const LOOK_EVERY_MS = 2_000;
/** How often a stream says that it lives, and its session is found to stand. */
export const KEEP_ALIVE_MS = 15_000;
/** A tab needs one; browsers keep six connections to a server of HTTP/1.1, and the page needs some for itself. */
export const MOST_STREAMS_PER_SESSION = 6;
/** Of one address (of IPv6, one /64), at one gateway: wallets cost nothing. */
export const MOST_STREAMS_PER_ADDRESS = 100;
/** At one gateway. */
export const MOST_STREAMS = 1_000;
/** When to come again after a stream ended, for the browser. */
export const RECONNECT_MS = 3_000;
