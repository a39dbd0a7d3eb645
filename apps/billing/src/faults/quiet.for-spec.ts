import { eventually } from '@svc/testing';
import { mined } from './fault-stack.for-spec';
import type { FaultStack, Payer } from './fault-stack.for-spec';

/** Leases, sweeps, repeated deliveries, and a machine that is busy with other things. */
const SOON_MS = 60_000;
const PLENTY = 10n ** 15n;

interface Unfinished {
  holds: string;
  unread: string;
}

const UNFINISHED = `
  SELECT (SELECT count(*) FROM billing.open_hold)::text AS holds,
         (SELECT count(*) FROM billing.projection p CROSS JOIN LATERAL (
            SELECT 1 FROM billing.usage_record u WHERE p.name IN ('usage', 'statement') AND u.txid >= p.next_txid
            UNION ALL SELECT 1 FROM billing.credit c WHERE p.name = 'credit' AND c.txid >= p.next_txid) r)::text AS unread`;

/**
 * Waits until nothing is under way: the queue is empty, every hold is resolved, receipts and statements are made of
 * everything that was charged. @throws Error with what was not finished in time
 */
export async function untilQuiet(stack: FaultStack): Promise<void> {
  await eventually(
    async () => {
      const queued = await stack.queued();
      const [row] = await stack.sql<Unfinished>(UNFINISHED);
      if (queued === 0 && row?.holds === '0' && row.unread === '0') return true;
      throw new Error(`not quiet: ${queued} messages in the queue, ${JSON.stringify(row)}`);
    },
    { timeoutMs: SOON_MS, intervalMs: 50 },
  );
}

const UNCOLLECTED = `
  SELECT (SELECT count(*) FROM billing.wallet WHERE posted - credited > settled_safe OR pull_failed_at IS NOT NULL)::text AS owing,
         (SELECT count(*) FROM billing.settlement_batch WHERE state <> 'settled')::text AS batches`;

/**
 * Lets every wallet pay and the chain go on, and waits until everything that is owed was collected, at the safe depth, and
 * nobody is suspended for what could not be.
 */
export async function untilCollected(stack: FaultStack, payers: readonly Payer[]): Promise<void> {
  for (const { token } of payers) await mined(token.approve(stack.contracts.settlement, PLENTY));
  await eventually(
    async () => {
      await stack.mine(1);
      const [row] = await stack.sql<{ owing: string; batches: string }>(UNCOLLECTED);
      if (row?.owing === '0' && row.batches === '0') return true;
      throw new Error(`not collected: ${JSON.stringify(row)}`);
    },
    { timeoutMs: SOON_MS, intervalMs: 100 },
  );
}
