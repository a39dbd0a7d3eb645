import { LIFTED_BY_CANARY } from '../watch-codes';

/** How many missed heartbeats in a row take an offer off the market. */
export const MISSES_TO_SUSPEND = 3;

/** What watching knows of an offer when its endpoint was asked for a sign of life. */
export interface BeatingOffer {
  watchCode: string | null;
  missedHeartbeats: number;
}

/**
 * - `none`: nothing but the count changes
 * - `suspend`: off the market
 * - `reinstate`: back on it
 * - `recheck`: off the market for something else, but back from the dead: the next canary is due as soon as the pause it was caught with
 *   is over
 */
export type HeartbeatEffect = 'none' | 'suspend' | 'reinstate' | 'recheck';

/** What an answer, or none, means for an offer. What hindered us from asking is neither. */
export function judgeHeartbeat(
  { watchCode, missedHeartbeats }: BeatingOffer,
  answered: boolean,
): { effect: HeartbeatEffect; missedHeartbeats: number } {
  if (!answered) {
    const missed = missedHeartbeats + 1;
    const effect = watchCode === null && missed >= MISSES_TO_SUSPEND ? 'suspend' : 'none';
    return { effect, missedHeartbeats: missed };
  }
  if (watchCode === 'no_heartbeat') return { effect: 'reinstate', missedHeartbeats: 0 };
  const wasGone = missedHeartbeats >= MISSES_TO_SUSPEND;
  const recheck = wasGone && watchCode !== null && LIFTED_BY_CANARY.includes(watchCode);
  return { effect: recheck ? 'recheck' : 'none', missedHeartbeats: 0 };
}
