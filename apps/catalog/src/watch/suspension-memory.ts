import type { Prisma } from '@svc/persistence';
import { retryDelayMs } from './retry-delay';
import { SUSPENDED_ACTION, WATCH_ACTOR } from './watch-codes';
import type { WatchCode } from './watch-codes';

const REMEMBERED_MS = 24 * 3_600_000;
const LIFTED_BY_ITSELF: WatchCode = 'no_heartbeat';

/**
 * How often watching has taken an offer off the market of late, for what only a canary lifts. Whoever comes back again and again
 * waits longer each time: canaries passed before, and clients paid for it.
 * @param tx has the offer's row lock
 * @param before what is of late: a day up to then
 */
export function recentSuspensions(
  tx: Prisma.TransactionClient,
  offerId: string,
  before: Date,
): Promise<number> {
  return tx.audit.count({
    where: {
      subject: offerId,
      actor: WATCH_ACTOR,
      action: SUSPENDED_ACTION,
      at: { gt: new Date(before.getTime() - REMEMBERED_MS) },
      NOT: { reason: { startsWith: `${LIFTED_BY_ITSELF}:` } },
    },
  });
}

/**
 * When the pause ends that an offer's suspension began with. Canaries that fail meanwhile have the next one come later still; this much
 * stands whatever they say, and whatever the provider does.
 * @param tx has the offer's row lock
 * @param watchSince of the suspension it is under, for what only a canary lifts
 */
export async function pauseEnd(
  tx: Prisma.TransactionClient,
  offerId: string,
  watchSince: Date,
): Promise<Date> {
  // The trail has this suspension too, which did not count when its pause was set.
  const former = Math.max((await recentSuspensions(tx, offerId, watchSince)) - 1, 0);
  return new Date(watchSince.getTime() + retryDelayMs(former));
}
