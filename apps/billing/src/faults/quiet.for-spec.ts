import { eventually } from '@svc/testing';
import { LEASE_MS, SWEEP_MS } from './fault-stack.for-spec';
import type { FaultStack } from './fault-stack.for-spec';

/** Leases, sweeps, repeated deliveries, and a machine that is busy with other things. */
const SOON_MS = 30_000;

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

/** 12: the longest that a hold may stand after its callers have gone, if billing was just started: its grace and two sweeps. */
export const LONGEST_OPEN_MS = 2 * LEASE_MS + 2 * SWEEP_MS;
