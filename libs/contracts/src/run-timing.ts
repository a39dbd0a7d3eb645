/**
 * Who waits how long for whom while a run is under way. Gateways and dispatch each do one half of it, and versions stand beside each
 * other: what is changed here holds for an old other half only if the inequalities of run-timing.spec.ts do.
 */

/** Dispatch says so often that a run is being worked on, where nothing else was sent since the last time: each minute or two, that is. */
export const RUN_HEARD_EVERY_MS = 60_000;
/** A gateway that hears nothing of a run for so long gives it up: several words of dispatch's may be lost before. */
export const RUN_SILENCE_MS = 330_000;

/**
 * A client may keep its provider waiting for so long in all. Then its gateway cuts it off, as one that takes nothing is, and it pays for
 * what was passed on: at a byte now and then it would hold a place of the provider's for ever.
 */
export const MOST_CLIENT_WAITING_MS = 600_000;
/** Dispatch stops a run whose gateway makes no room for so long: its client would have been cut off by then, so none ever will be. */
export const MOST_RUN_BLOCKED_MS = 900_000;

/** A gateway cuts a client off that takes nothing for so long. */
export const CLIENT_STALL_MS = 30_000;
/**
 * Dispatch keeps a shared run that is over for a subscriber that makes no room for so long. A gateway makes room once its client has taken all
 * that was sent, 256 KiB, which may take that long. Less than the silence after which a gateway gives a run up.
 */
export const SUBSCRIBER_PATIENCE_MS = 300_000;
