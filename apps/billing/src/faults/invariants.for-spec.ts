import { billingContracts } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { disagreements, LEDGER_REQUESTS } from './caller-book.for-spec';
import type { BookedRequest, LedgerRequest } from './caller-book.for-spec';
import { SHARE_BPS, SWEEP_MS } from './fault-stack.for-spec';
import type { FaultStack } from './fault-stack.for-spec';
import { checkUnchanged } from './ledger-watch.for-spec';
import type { Violation } from './ledger-watch.for-spec';

/** What a busy machine may take on top of a sweep. */
const SLACK_MS = 2_000;
const SHOWN = 5;

/** Each finds the rows that break an invariant; its number is that of design: 1 to 14, as docs/faults.md lists them. */
const ROWS: readonly [invariant: number, what: string, sql: string][] = [
  [
    1,
    'debits and credits differ',
    `SELECT sum(d) AS debits, sum(c) AS credits FROM (
       SELECT debit_account AS account, amount AS d, 0 AS c FROM billing.transfer
       UNION ALL SELECT credit_account, 0, amount FROM billing.transfer) s
     HAVING sum(d) IS DISTINCT FROM sum(c)`,
  ],
  [
    1,
    'a wallet is not what its transfers add up to',
    `SELECT w.wallet, w.held, w.posted, w.credited, w.settled_safe, t.* FROM billing.wallet w
     CROSS JOIN LATERAL (SELECT
       coalesce(sum(CASE WHEN kind = 'hold' THEN amount WHEN kind IN ('post', 'void', 'expire') THEN -amount END), 0) AS t_held,
       coalesce(sum(amount) FILTER (WHERE kind IN ('share', 'fee')), 0) AS t_posted,
       coalesce(sum(amount) FILTER (WHERE kind IN ('refund', 'credit')), 0) AS t_credited,
       coalesce(sum(CASE kind WHEN 'settle' THEN amount WHEN 'unsettle' THEN -amount END), 0) AS t_settled
       FROM billing.transfer x WHERE x.wallet = w.wallet) t
     WHERE (w.held, w.posted, w.credited, w.settled_safe) IS DISTINCT FROM (t_held, t_posted, t_credited, t_settled)`,
  ],
  [
    2,
    'held is not what the open holds add up to',
    `SELECT w.wallet, w.held, o.amount FROM billing.wallet w CROSS JOIN LATERAL (
       SELECT coalesce(sum(h.amount), 0) AS amount FROM billing.open_hold h WHERE h.wallet = w.wallet) o
     WHERE w.held <> o.amount`,
  ],
  [
    2,
    'held under a key is not what its open holds add up to',
    `SELECT b.wallet, b.key_id, b.held, o.amount FROM billing.key_budget b CROSS JOIN LATERAL (
       SELECT coalesce(sum(h.amount), 0) AS amount FROM billing.open_hold h
       WHERE h.wallet = b.wallet AND h.key_id = b.key_id) o
     WHERE b.held <> o.amount`,
  ],
  [
    4,
    'posted more than was held',
    `SELECT u.wallet, u.hold_id, u.cost, u.held, t.amount FROM billing.usage_record u
     LEFT JOIN billing.transfer t ON t.wallet = u.wallet AND t.reference = u.hold_id AND t.leg = 0
     WHERE u.cost > u.held OR t.amount IS DISTINCT FROM u.held`,
  ],
  [
    5,
    'a hold is not either open or resolved once, and wholly',
    `SELECT t.wallet, t.reference FROM (
       SELECT x.wallet, x.reference, count(*) FILTER (WHERE leg = 0) AS holds, count(*) FILTER (WHERE leg = 1) AS resolved,
              sum(CASE leg WHEN 0 THEN amount WHEN 1 THEN -amount END) AS rest
       FROM billing.transfer x WHERE leg < 9 GROUP BY 1, 2) t
     LEFT JOIN billing.open_hold o ON o.wallet = t.wallet AND o.hold_id = t.reference
     WHERE t.holds <> 1 OR (o.hold_id IS NULL AND (t.resolved, t.rest) IS DISTINCT FROM (1, 0))
        OR (o.hold_id IS NOT NULL AND (t.resolved, t.rest) IS DISTINCT FROM (0, o.amount))`,
  ],
  [
    5,
    'a hold was freed and its owner is not told, or the other way round',
    `SELECT freed.wallet, freed.reference, f.wallet, f.hold_id, f.reason FROM (
       SELECT x.wallet, x.reference, x.amount FROM billing.transfer x WHERE x.kind IN ('void', 'expire')) freed
     FULL JOIN billing.unserved_request f ON f.wallet = freed.wallet AND f.hold_id = freed.reference AND f.held = freed.amount
     WHERE f.wallet IS NULL OR freed.wallet IS NULL`,
  ],
  [
    6,
    'an idempotency key stands for a request that was not charged, or runs no more',
    `SELECT i.wallet, i.hold_id, i.completed_at FROM billing.idempotency i
     LEFT JOIN billing.transfer t ON t.wallet = i.wallet AND t.reference = i.hold_id AND t.kind = 'post'
     LEFT JOIN billing.transfer r ON r.wallet = i.wallet AND r.reference = i.hold_id AND r.kind = 'refund'
     LEFT JOIN billing.open_hold o ON o.wallet = i.wallet AND o.hold_id = i.hold_id
     WHERE CASE WHEN i.completed_at IS NULL THEN o.hold_id IS NULL ELSE t.reference IS NULL OR r.reference IS NOT NULL END`,
  ],
  [
    7,
    'the payer is charged for what failed, expired or was given back',
    `SELECT x.wallet, x.reference, array_agg(x.kind) AS kinds FROM billing.transfer x WHERE leg < 9 GROUP BY 1, 2
     HAVING (bool_or(kind IN ('share', 'fee')) AND NOT bool_or(kind = 'post'))
       OR (bool_or(kind IN ('late_share', 'late_fee')) AND bool_or(kind IN ('share', 'fee', 'post')))
       OR (bool_or(kind = 'refund') AND
           sum(CASE WHEN kind = 'refund' THEN amount WHEN kind IN ('share', 'fee') THEN -amount END) <> 0)`,
  ],
  [
    8,
    'a key has spent and held more than its cap',
    `SELECT b.* FROM billing.key_budget b
     WHERE b.cap < b.held + CASE WHEN b.period_start < billing.period_of(b.reset, now(), b.period_start) THEN 0 ELSE b.spent END`,
  ],
  [
    8,
    'what a key has spent is not what was charged under it',
    `SELECT b.wallet, b.key_id, b.spent, t.charged FROM billing.key_budget b CROSS JOIN LATERAL (
       SELECT coalesce(sum(CASE x.kind WHEN 'refund' THEN -x.amount ELSE x.amount END), 0) AS charged
       FROM billing.transfer x
       WHERE x.wallet = b.wallet AND x.key_id = b.key_id AND x.kind IN ('share', 'fee', 'refund')) t
     WHERE b.reset IS NULL AND b.spent <> t.charged`,
  ],
  [
    10,
    'reconciliation has found a difference',
    `SELECT reason, differences FROM billing.settlement_pause WHERE actor = 'reconciliation'`,
  ],
  [
    12,
    'a hold is open long after its lease',
    `SELECT h.wallet, h.hold_id, h.lease_until, now() FROM billing.open_hold h
     WHERE h.lease_until < now() - interval '${2 * SWEEP_MS + SLACK_MS} milliseconds'`,
  ],
  [
    14,
    'a receipt, its formula and what was moved differ',
    `SELECT u.wallet, u.hold_id, u.cost, u.provider_share, u.platform_loss, u.late, t.* FROM billing.usage_record u
     CROSS JOIN LATERAL (SELECT
       coalesce(sum(amount) FILTER (WHERE kind = (CASE WHEN u.late THEN 'late_share' ELSE 'share' END)::billing.transfer_kind), 0) AS share,
       coalesce(sum(amount) FILTER (WHERE kind = (CASE WHEN u.late THEN 'late_fee' ELSE 'fee' END)::billing.transfer_kind), 0) AS fee,
       coalesce(sum(amount) FILTER (WHERE kind IN ('clamp_share', 'clamp_fee')), 0) AS loss,
       bool_or(kind = 'post') AS posted
       FROM billing.transfer x WHERE x.wallet = u.wallet AND x.reference = u.hold_id) t
     WHERE (u.provider_share, u.cost - u.provider_share, u.platform_loss, NOT u.late)
             IS DISTINCT FROM (t.share, t.fee, t.loss, t.posted)
        OR u.provider_share <> div(u.cost::numeric * ${SHARE_BPS}, 10000)
        OR u.cost <> div(u.prompt_tokens::numeric * u.input_price_per_mtok
                         + u.completion_tokens::numeric * u.output_price_per_mtok + 999999, 1000000)`,
  ],
  [
    14,
    'a post without a receipt',
    `SELECT t.wallet, t.reference FROM billing.transfer t
     LEFT JOIN billing.usage_record u ON u.wallet = t.wallet AND u.hold_id = t.reference
     WHERE t.kind = 'post' AND u.hold_id IS NULL`,
  ],
  [
    14,
    'what receipts add up to is not what wallets owe',
    `SELECT w.wallet, w.posted, w.credited, r.* FROM billing.wallet w CROSS JOIN LATERAL (
       SELECT coalesce(sum(x.amount) FILTER (WHERE x.kind = 'usage'), 0) AS usage,
              coalesce(-sum(x.amount) FILTER (WHERE x.kind <> 'usage'), 0) AS given
       FROM billing.receipt x WHERE x.wallet = w.wallet) r
     WHERE (w.posted, w.credited) IS DISTINCT FROM (r.usage, r.given)`,
  ],
  [
    14,
    'what statements add up to is not what was charged',
    `SELECT w.wallet, w.posted, h.cost FROM billing.wallet w CROSS JOIN LATERAL (
       SELECT coalesce(sum(x.cost), 0) AS cost FROM billing.usage_hour x WHERE x.wallet = w.wallet) h
     WHERE w.posted <> h.cost`,
  ],
];

interface WatchedRow {
  invariant: number;
  what: string;
  detail: string;
}

/**
 * Looks for anything that breaks one of the 14 invariants: in the whole database, on the chain, and in what these callers were
 * told. To be asked when everything is quiet. @returns nothing but what is wrong
 */
export async function violations(
  stack: FaultStack,
  book: ReadonlyMap<string, BookedRequest> = new Map(),
): Promise<Violation[]> {
  const found: Violation[] = [];
  // Just filled, and known to the planner as empty.
  await stack.sql('ANALYZE');
  for (const [invariant, what, sql] of ROWS) {
    const rows = await stack.sql(`SELECT * FROM (${sql}) broken LIMIT ${SHOWN}`);
    if (rows.length > 0) found.push({ invariant, what, rows });
  }
  for (const { invariant, what, detail } of await stack.sql<WatchedRow>(
    'SELECT * FROM watch.violation LIMIT 5',
  )) {
    found.push({ invariant, what, rows: [detail] });
  }
  found.push(...(await checkUnchanged(stack.owner)));
  found.push(...(await onChain(stack)));
  found.push(...(await inBook(stack, book)));
  return found;
}

/** @throws Error that shows what is wrong, if anything is; `run` says how to do it again */
export async function expectNoViolations(
  stack: FaultStack,
  book: ReadonlyMap<string, BookedRequest>,
  run: string,
): Promise<void> {
  const found = await violations(stack, book);
  if (found.length === 0) return;
  const show = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  const shown = found.slice(0, 20).map((violation) => JSON.stringify(violation, show));
  throw new Error(`${found.length} violations (${run}):\n${shown.join('\n')}`);
}

interface SettledRow {
  wallet: string;
  posted: string;
  settled: string;
  before: string | null;
  safe: string | null;
}

/** 9 to 11: the chain at its head, and at the block that billing takes to be safe. */
async function onChain(stack: FaultStack): Promise<Violation[]> {
  const { settlement, usdc, contracts } = stack;
  // One statement: figures and the block they are of are committed together.
  const rows = await stack.sql<SettledRow>(
    `SELECT w.wallet, w.posted::text, w.settled_safe::text AS settled, p.pulled::text AS before,
            (SELECT c.safe_number::text FROM billing.chain_position c WHERE c.safe_hash IS NOT NULL) AS safe
     FROM billing.wallet w LEFT JOIN watch.pulled p USING (wallet) ORDER BY w.wallet`,
  );
  const found: Violation[] = [];
  const wallets = rows.map(({ wallet }) => wallet);
  const [, atHead] = await settlement.positionsOf(wallets);
  const safe = rows[0]?.safe;
  const atSafe = safe ? (await settlement.positionsOf(wallets, { blockTag: Number(safe) }))[1] : undefined;
  for (const [index, row] of rows.entries()) {
    const pulled = BigInt(atHead[index]?.[2] ?? 0);
    const known = { ...row, pulled };
    if (pulled < BigInt(row.before ?? 0))
      found.push({ invariant: 9, what: 'pulled has fallen', rows: [known] });
    if (pulled > BigInt(row.posted))
      found.push({ invariant: 9, what: 'pulled more than posted', rows: [known] });
    const pulledSafe = atSafe?.[index]?.[2] ?? 0n;
    if (BigInt(row.settled) !== pulledSafe) {
      const what = 'settled is not what the chain shows at the safe block';
      found.push({ invariant: 10, what, rows: [{ ...known, pulledSafe }] });
    }
    await stack.sql(
      'INSERT INTO watch.pulled VALUES ($1, $2) ON CONFLICT (wallet) DO UPDATE SET pulled = excluded.pulled',
      [row.wallet, String(pulled)],
    );
  }
  // All at one block: billing goes on collecting, and a batch may be mined between two of these.
  const at = { blockTag: await stack.chain.getBlockNumber() };
  const tokens = await usdc.balanceOf(contracts.settlement, at);
  const collected = (await settlement.totalPulled(at)) - (await settlement.totalPaid(at));
  const treasury = await usdc.balanceOf(await settlement.treasury(), at);
  if (treasury !== collected) {
    const what = 'the treasury has not what was pulled';
    found.push({ invariant: 11, what, rows: [String(treasury), String(collected)] });
  }
  if (tokens !== 0n) found.push({ invariant: 11, what: 'the contract holds tokens', rows: [String(tokens)] });
  return found;
}

/** 5 to 7 and 14 as callers see them. */
async function inBook(stack: FaultStack, book: ReadonlyMap<string, BookedRequest>): Promise<Violation[]> {
  const rows = await stack.sql<{ holdId: string; state: LedgerRequest }>(LEDGER_REQUESTS, [[...book.keys()]]);
  const ledger = new Map(rows.map(({ holdId, state }) => [holdId, state]));
  const found: Violation[] = [];
  const charges = new Map<string, string[]>();
  for (const request of book.values()) {
    const state = ledger.get(request.holdId);
    for (const [invariant, what] of disagreements(request, state)) {
      found.push({ invariant, what, rows: [shown(request), state] });
    }
    if (!request.claim || !state || state.charged === 0 || state.refunded > 0) continue;
    const claim = `${request.wallet}/${request.claim.keyHash}`;
    charges.set(claim, [...(charges.get(claim) ?? []), request.holdId]);
  }
  for (const [claim, holds] of charges) {
    const [holdId = ''] = holds;
    const request = book.get(holdId);
    if (request?.reply && !(await replayed(stack, request)).equals(request.reply)) {
      found.push({ invariant: 6, what: 'the reply that was kept is another one', rows: [shown(request)] });
    }
    if (holds.length > 1)
      found.push({ invariant: 6, what: 'charged twice under one key', rows: [claim, holds] });
  }
  return found;
}

async function replayed({ gateway }: FaultStack, { wallet, holdId }: BookedRequest): Promise<Buffer> {
  const request = { wallet, holdId, part: 0 };
  const { bytes } = await eventually(() => gateway.call(billingContracts.readResponse, request));
  return Buffer.from(bytes, 'base64');
}

function shown({ reply: _, sent, queued, ...request }: BookedRequest): object {
  return { ...request, sent: [...sent], queued: [...queued] };
}
