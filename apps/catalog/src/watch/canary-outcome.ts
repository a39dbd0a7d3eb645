import type { Prisma } from '@svc/persistence';
import { judgeCanary, retryDelayMs } from './canary/canary-rules';
import type { CanaryVerdict } from './canary/canary-rules';
import { recentSuspensions } from './suspension-memory';
import { LIFTED_BY_CANARY, REINSTATED_ACTION, SUSPENDED_ACTION, UNWATCHED, WATCH_ACTOR } from './watch-codes';

/** How a canary ended. */
export interface CanaryOutcome {
  offerId: string;
  passed: boolean;
  /** Which probe failed, and what was wrong. */
  probe?: string;
  message?: string;
}

/**
 * Draws the conclusion from a canary in the transaction that ends it; once that is committed, what changed must be published.
 * A first failure has a second canary follow at once, the second takes the offer off the market (`drift`); one that passes puts back
 * what watching took off. What operators decided is left alone.
 * @param tx takes the offer's row lock
 * @returns what it meant; `passed` also for an offer that is not there
 */
export async function recordCanary(
  tx: Prisma.TransactionClient,
  outcome: CanaryOutcome,
): Promise<CanaryVerdict['effect']> {
  const { offerId: id } = outcome;
  const [offer] = await tx.$queryRaw<{ watchCode: string | null; retries: number; busyCanaries: number }[]>`
    SELECT watch_code AS "watchCode", retries, busy_canaries AS "busyCanaries" FROM catalog.offers WHERE id = ${id} FOR UPDATE`;
  if (!offer) return 'passed';
  const verdict = judgeCanary(offer, outcome.passed);
  if (verdict.effect === 'passed') {
    if (offer.retries > 0 || offer.busyCanaries > 0) {
      await tx.offer.update({ where: { id }, data: { retries: 0, busyCanaries: 0, busySince: null } });
    }
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
  const retries = suspended ? await recentSuspensions(tx, id) : verdict.retries;
  const due = new Date(Date.now() + (suspended ? retryDelayMs(retries) : (verdict.againInMs ?? 0)));
  const watchReason = `two canaries in a row failed: probe "${outcome.probe ?? 'unknown'}": ${outcome.message ?? 'failed'}`;
  const isOff = suspended || LIFTED_BY_CANARY.includes(offer.watchCode ?? '');
  await tx.offer.update({
    where: { id },
    data: {
      retries,
      nextCanaryAt: due,
      ...(isOff && { retryAt: due }),
      ...(suspended && { watchCode: 'drift', watchReason, watchSince: new Date() }),
    },
  });
  if (suspended) {
    await tx.audit.create({ data: { ...act, action: SUSPENDED_ACTION, reason: `drift: ${watchReason}` } });
  }
  return verdict.effect;
}
