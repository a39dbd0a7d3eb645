import type { Prisma } from '@svc/persistence';
import { SUSPENDED_ACTION, WATCH_ACTOR } from './watch-codes';
import type { WatchCode } from './watch-codes';

const REMEMBERED_MS = 24 * 3_600_000;
const LIFTED_BY_ITSELF: WatchCode = 'no_heartbeat';

/**
 * How often watching has taken an offer off the market of late, for what only a canary lifts. Whoever comes back again and again
 * waits longer each time: canaries passed before, and clients paid for it.
 * @param tx has the offer's row lock
 */
export function recentSuspensions(tx: Prisma.TransactionClient, offerId: string): Promise<number> {
  return tx.audit.count({
    where: {
      subject: offerId,
      actor: WATCH_ACTOR,
      action: SUSPENDED_ACTION,
      at: { gt: new Date(Date.now() - REMEMBERED_MS) },
      NOT: { reason: { startsWith: `${LIFTED_BY_ITSELF}:` } },
    },
  });
}
