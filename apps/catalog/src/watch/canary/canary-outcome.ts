import type { Prisma } from '@svc/persistence';
import { databaseNow } from '../../database/database-now';
import { endsFinding } from '../findings';
import type { Finding } from '../findings';
import { retryDelayMs } from '../retry-delay';
import { recentSuspensions } from '../suspension-memory';
import {
  LIFTED_BY_CANARY,
  REINSTATED_ACTION,
  SUSPENDED_ACTION,
  UNWATCHED,
  WATCH_ACTOR,
} from '../watch-codes';
import { judgeCanary } from './canary-rules';
import type { CanaryVerdict } from './canary-rules';

/** How a canary ended. */
interface CanaryOutcome {
  offerId: string;
  /** When it was ordered: it lifts nothing that was found since. */
  requestedAt: Date;
  passed: boolean;
  /** Which probe failed, and what was wrong. */
  probe?: string;
  message?: string;
  /** What was wrong may be over a while later. */
  isPassing?: boolean;
}

/**
 * Draws the conclusion from a canary in the transaction that ends it; once that is committed, what changed must be published.
 * A first failure has a second canary follow, at once or once what may pass may have; the second takes the offer off the market (`drift`); one that passes puts back
 * what watching took off before it was ordered, once the pause is over. What operators decided is left alone.
 * @param tx takes the offer's row lock
 * @returns what it meant; `passed` also for an offer that is not there
 */
export async function recordCanary(
  tx: Prisma.TransactionClient,
  outcome: CanaryOutcome,
): Promise<CanaryVerdict['effect']> {
  const { offerId: id } = outcome;
  const [offer] = await tx.$queryRaw<(Omit<Finding, 'watchReason'> & { busyCanaries: number })[]>`
    SELECT watch_code AS "watchCode", watch_since AS "watchSince", retry_at AS "retryAt", retries, busy_canaries AS "busyCanaries"
    FROM catalog.offers WHERE id = ${id} FOR UPDATE`;
  if (!offer) return 'passed';
  const now = await databaseNow(tx);
  const verdict = judgeCanary(offer, outcome, endsFinding(offer, outcome.requestedAt, now));
  if (verdict.effect === 'passed') {
    if (offer.retries > 0 || offer.busyCanaries > 0) {
      await tx.offer.update({ where: { id }, data: { retries: 0, busyCanaries: 0, busySince: null } });
    }
    return verdict.effect;
  }
  if (verdict.effect === 'held') {
    // The one that lifts it comes when the pause is over, not when one after this would have.
    await tx.offer.update({ where: { id }, data: { nextCanaryAt: offer.retryAt ?? now } });
    return verdict.effect;
  }
  const act = { actor: WATCH_ACTOR, subject: id };
  if (verdict.effect === 'reinstate') {
    await tx.offer.update({ where: { id }, data: UNWATCHED });
    const reason = `a canary passed; it was suspended for ${offer.watchCode ?? 'nothing'}`;
    await tx.audit.create({ data: { ...act, action: REINSTATED_ACTION, reason } });
    return verdict.effect;
  }
  const suspended = verdict.effect === 'suspend';
  const retries = suspended ? await recentSuspensions(tx, id, now) : verdict.retries;
  const due = new Date(now.getTime() + (suspended ? retryDelayMs(retries) : (verdict.againInMs ?? 0)));
  const { probe = 'unknown', message = 'The probe failed.' } = outcome;
  const watchReason = `Two canaries in a row failed, the last by the probe "${probe}". ${message}`;
  const isOff = suspended || LIFTED_BY_CANARY.includes(offer.watchCode ?? '');
  await tx.offer.update({
    where: { id },
    data: {
      retries,
      nextCanaryAt: due,
      ...(isOff && { retryAt: due }),
      ...(suspended && { watchCode: 'drift', watchReason, watchSince: now }),
    },
  });
  if (suspended) {
    await tx.audit.create({ data: { ...act, action: SUSPENDED_ACTION, reason: `drift: ${watchReason}` } });
  }
  return verdict.effect;
}
