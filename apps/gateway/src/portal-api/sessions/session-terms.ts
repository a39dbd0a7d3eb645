const MINUTE_MS = 60_000;

/** How long after its beginning a session is over, however busy it was. */
export const SESSION_LIFETIME_MS = 12 * 60 * MINUTE_MS;
/** How long without a request it is over too. */
export const SESSION_IDLE_MS = 2 * 60 * MINUTE_MS;
/** How exactly the last request is remembered: each note of it is a write. */
export const TOUCH_EVERY_MS = MINUTE_MS;
/** A wallet's sessions; a further one ends the one that was quiet longest. */
export const MOST_SESSIONS = 20;

interface Times {
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
}

/** When a session ends if nothing more is heard of it, Unix milliseconds. */
export function endOf({ createdAtMs, lastSeenAtMs }: Times): number {
  return Math.min(createdAtMs + SESSION_LIFETIME_MS, lastSeenAtMs + SESSION_IDLE_MS);
}
