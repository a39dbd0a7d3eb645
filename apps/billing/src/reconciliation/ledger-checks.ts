import { Prisma } from '@svc/persistence';

/** A comparison within the database, in one statement and so in one snapshot. */
export interface LedgerCheck {
  /** What is broken when it finds something. */
  readonly rule: string;
  /** Gives rows of (subject, expected, actual) where two figures differ. */
  readonly sql: Prisma.Sql;
}

/** What of the charges no receipt has been made of yet: not a difference, only not yet. */
const unprojected = Prisma.sql`
  SELECT wallet, sum(amount) AS amount FROM (
    SELECT u.wallet, u.cost AS amount FROM billing.usage_record u
    WHERE NOT u.late AND u.txid >= (SELECT next_txid FROM billing.projection WHERE name = 'usage')
    UNION ALL
    SELECT c.wallet, -c.amount FROM billing.credit c
    WHERE c.txid >= (SELECT next_txid FROM billing.projection WHERE name = 'credit')
  ) waiting GROUP BY wallet`;

const lastDue = Prisma.sql`
  LEFT JOIN LATERAL (SELECT d.cumulative FROM billing.settlement_due d WHERE d.wallet = w.wallet
                     ORDER BY d.seq DESC LIMIT 1) d ON true`;

// As they were made, not as a clock dated them. Due by due, so that no planner reads those of all batches for those of the newest.
const newestDues = Prisma.sql`
  (SELECT batch_id FROM billing.settlement_batch ORDER BY seq DESC LIMIT 10) b
  CROSS JOIN LATERAL (SELECT * FROM billing.settlement_due o WHERE o.batch_id = b.batch_id OFFSET 0) d`;

const PULLED = 'no more is pulled than was charged and asked for';
const ASKED = 'no more is asked for than was charged';
const PAID = 'no more is paid to a provider than a root of ours said that it had earned';

const pulledTooMuch = (wallets: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT w.wallet AS subject, least(w.posted, coalesce(d.cumulative, 0))::text AS expected,
         greatest(w.settled_head, w.settled_safe)::text AS actual
  FROM ${wallets} w ${lastDue}
  WHERE greatest(w.settled_head, w.settled_safe) > 0
    AND greatest(w.settled_head, w.settled_safe) > least(w.posted, coalesce(d.cumulative, 0))`;

const askedTooMuch = (dues: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT w.wallet AS subject, w.posted::text AS expected, d.cumulative::text AS actual
  FROM ${dues} WHERE d.cumulative > w.posted`;

/** Cheap ones: they read what is open, wallets but nothing else of each, sums that are kept, and what is recent. */
export const INCREMENTAL_CHECKS: readonly LedgerCheck[] = [
  {
    rule: 'held by a wallet is the sum of its open holds',
    sql: Prisma.sql`
      SELECT wallet AS subject, coalesce(h.amount, 0)::text AS expected, coalesce(w.held, 0)::text AS actual
      FROM (SELECT wallet, held FROM billing.wallet WHERE held <> 0) w
      FULL JOIN (SELECT wallet, sum(amount) AS amount FROM billing.open_hold GROUP BY wallet) h USING (wallet)
      WHERE coalesce(w.held, 0) <> coalesce(h.amount, 0)`,
  },
  {
    rule: 'held by a key is the sum of its open holds',
    sql: Prisma.sql`
      SELECT key_id AS subject, coalesce(h.amount, 0)::text AS expected, coalesce(k.held, 0)::text AS actual
      FROM (SELECT wallet, key_id, held FROM billing.key_budget WHERE held <> 0) k
      FULL JOIN (SELECT wallet, key_id, sum(amount) AS amount FROM billing.open_hold GROUP BY wallet, key_id) h
        USING (wallet, key_id)
      WHERE coalesce(k.held, 0) <> coalesce(h.amount, 0)`,
  },
  {
    rule: 'all that is owed is the sum of all receipts',
    sql: Prisma.sql`
      SELECT NULL AS subject, r.amount::text AS expected, o.amount::text AS actual
      FROM (SELECT coalesce(sum(posted) - sum(credited), 0) AS amount FROM billing.wallet) o,
           (SELECT (SELECT sum(CASE name WHEN 'usage' THEN total ELSE -total END)
                    FROM billing.projection WHERE name IN ('usage', 'credit'))
                   + (SELECT coalesce(sum(amount), 0) FROM (${unprojected}) waiting) AS amount) r
      WHERE o.amount <> r.amount`,
  },
  {
    rule: PULLED,
    // More than was charged: of everybody. More than was asked for: of those from whom something was pulled lately, for a due only adds to
    // what may be, and a look for the last one of everybody takes longer than all the rest.
    sql: pulledTooMuch(Prisma.sql`(
      SELECT * FROM billing.wallet WHERE wallet IN (
        SELECT wallet FROM billing.wallet WHERE greatest(settled_head, settled_safe) > posted
        UNION ALL
        SELECT e.wallet FROM (SELECT kind, wallet FROM billing.settlement_event ORDER BY block_number DESC LIMIT 2000) e
        WHERE e.kind = 'pulled'
      ) OFFSET 0
    )`),
  },
  {
    rule: ASKED,
    // Of the newest dues: they never change, and what was charged only grows.
    sql: askedTooMuch(Prisma.sql`${newestDues} JOIN billing.wallet w ON w.wallet = d.wallet`),
  },
  {
    rule: PAID,
    // What was released may be less by now, after a reorganisation that unpaid it. Roots are looked through for those alone of whom it is. What
    // is paid on chain never falls: whoever ended a pause that named it knows of it, and it is a difference no more, unless it grows.
    sql: Prisma.sql`
      SELECT p.provider AS subject, greatest(p.released, r.earned)::text AS expected, p.paid::text AS actual
      FROM (
        SELECT provider, p.paid_safe AS paid, coalesce(r.released, 0) AS released
        FROM billing.provider_paid p LEFT JOIN billing.provider_released r USING (provider)
        WHERE p.paid_safe > coalesce(r.released, 0)
        OFFSET 0
      ) p
      CROSS JOIN LATERAL (
        SELECT coalesce(max(e.cumulative), 0) AS earned FROM billing.payout_earning e WHERE e.provider = p.provider
      ) r
      WHERE p.paid > greatest(r.earned, (
        SELECT max((d.value->>'actual')::numeric)
        FROM billing.settlement_pause s CROSS JOIN LATERAL jsonb_array_elements(s.differences) d
        WHERE s.resumed_at IS NOT NULL AND d.value->>'rule' = ${PAID} AND d.value->>'subject' = p.provider
      ))`,
  },
  {
    rule: 'what a due adds is the sum of its receipts',
    sql: Prisma.sql`
      SELECT d.batch_id || ' ' || d.wallet AS subject, (d.cumulative - d.previous)::text AS expected, c.amount::text AS actual
      FROM ${newestDues}
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(r.amount), 0) AS amount FROM billing.receipt r
        WHERE r.batch_id = d.batch_id AND r.wallet = d.wallet
        OFFSET 0
      ) c
      WHERE d.cumulative - d.previous <> c.amount`,
  },
];

/** These read everything there is. */
export const FULL_CHECKS: readonly LedgerCheck[] = [
  { rule: PULLED, sql: pulledTooMuch(Prisma.sql`billing.wallet`) },
  { rule: ASKED, sql: askedTooMuch(Prisma.sql`billing.wallet w ${lastDue}`) },
  {
    rule: 'a wallet is the sum of its transfers: posted, credited, held, settled',
    sql: Prisma.sql`
      SELECT wallet AS subject,
             concat_ws(' ', coalesce(t.posted, 0), coalesce(t.credited, 0), coalesce(t.held, 0), coalesce(t.settled, 0))
               AS expected,
             concat_ws(' ', w.posted, w.credited, w.held, w.settled_safe) AS actual
      FROM billing.wallet w
      FULL JOIN (
        SELECT wallet, sum(amount) FILTER (WHERE kind IN ('share', 'fee')) AS posted,
               sum(amount) FILTER (WHERE kind IN ('refund', 'credit')) AS credited,
               coalesce(sum(amount) FILTER (WHERE credit_account = 'held'), 0)
                 - coalesce(sum(amount) FILTER (WHERE debit_account = 'held'), 0) AS held,
               coalesce(sum(amount) FILTER (WHERE kind = 'settle'), 0)
                 - coalesce(sum(amount) FILTER (WHERE kind = 'unsettle'), 0) AS settled
        FROM billing.transfer WHERE kind NOT IN ('payout', 'unpayout') GROUP BY wallet
      ) t USING (wallet)
      WHERE (w.posted, w.credited, w.held, w.settled_safe) IS DISTINCT FROM
            (coalesce(t.posted, 0), coalesce(t.credited, 0), coalesce(t.held, 0), coalesce(t.settled, 0))`,
  },
  {
    rule: 'every post has one usage record',
    sql: Prisma.sql`
      SELECT wallet || ' ' || id AS subject, '1' AS expected, '0' AS actual
      FROM (SELECT wallet, reference AS id, 1 AS posts FROM billing.transfer WHERE kind = 'post') p
      FULL JOIN (SELECT wallet, hold_id AS id, 1 AS records FROM billing.usage_record WHERE NOT late) u
        USING (wallet, id)
      WHERE posts IS NULL OR records IS NULL`,
  },
  {
    rule: 'every usage record has one receipt of its cost',
    sql: Prisma.sql`
      SELECT wallet || ' ' || id AS subject, u.cost::text AS expected, r.amount::text AS actual
      FROM (SELECT wallet, hold_id AS id, cost FROM billing.usage_record
            WHERE NOT late AND txid < (SELECT next_txid FROM billing.projection WHERE name = 'usage')) u
      FULL JOIN (SELECT wallet, receipt_id AS id, amount FROM billing.receipt WHERE kind = 'usage') r
        USING (wallet, id)
      WHERE u.cost IS DISTINCT FROM r.amount`,
  },
  {
    rule: 'what a wallet owes is the sum of its receipts',
    sql: Prisma.sql`
      SELECT w.wallet AS subject, (coalesce(r.amount, 0) + coalesce(n.amount, 0))::text AS expected,
             (w.posted - w.credited)::text AS actual
      FROM billing.wallet w
      LEFT JOIN (SELECT wallet, sum(amount) AS amount FROM billing.receipt GROUP BY wallet) r ON r.wallet = w.wallet
      LEFT JOIN (${unprojected}) n ON n.wallet = w.wallet
      WHERE w.posted - w.credited <> coalesce(r.amount, 0) + coalesce(n.amount, 0)`,
  },
  {
    rule: 'what a due adds is the sum of its receipts',
    sql: Prisma.sql`
      SELECT batch_id || ' ' || wallet AS subject, (d.cumulative - d.previous)::text AS expected,
             coalesce(r.amount, 0)::text AS actual
      FROM billing.settlement_due d
      FULL JOIN (SELECT batch_id, wallet, sum(amount) AS amount FROM billing.receipt
                 WHERE batch_id IS NOT NULL GROUP BY batch_id, wallet) r USING (batch_id, wallet)
      WHERE d.cumulative - d.previous IS DISTINCT FROM coalesce(r.amount, 0)`,
  },
  {
    rule: 'a batch is the sum of its dues',
    sql: Prisma.sql`
      SELECT b.batch_id AS subject, concat_ws(' ', coalesce(d.dues, 0), coalesce(d.amount, 0)) AS expected,
             concat_ws(' ', b.dues, b.amount) AS actual
      FROM billing.settlement_batch b
      LEFT JOIN (SELECT batch_id, count(*) AS dues, sum(cumulative - previous) AS amount
                 FROM billing.settlement_due GROUP BY batch_id) d USING (batch_id)
      WHERE (b.dues, b.amount) <> (coalesce(d.dues, 0), coalesce(d.amount, 0))`,
  },
  {
    rule: 'paid to a provider is the sum of its payouts',
    sql: Prisma.sql`
      SELECT provider AS subject, coalesce(t.amount, 0)::text AS expected, coalesce(p.paid_safe, 0)::text AS actual
      FROM billing.provider_paid p
      FULL JOIN (SELECT provider, sum(CASE kind WHEN 'payout' THEN amount ELSE -amount END) AS amount
                 FROM billing.transfer WHERE kind IN ('payout', 'unpayout') GROUP BY provider) t USING (provider)
      WHERE coalesce(t.amount, 0) <> coalesce(p.paid_safe, 0)`,
  },
  {
    rule: 'released to a provider are its shares of what payers have paid',
    // Refunded before its release a share is not in it, refunded afterwards it is: there may be more by what was refunded. OFFSET 0
    // keeps each lookup a lookup of one record by its key: a planner that was told of few rows reads all that a wallet has, for each of
    // its receipts.
    sql: Prisma.sql`
      SELECT provider AS subject, concat(coalesce(s.kept, 0), ' and at most ', coalesce(b.refunded, 0), ' more') AS expected,
             coalesce(p.released, 0)::text AS actual
      FROM billing.provider_released p
      FULL JOIN (SELECT u.provider, sum(u.provider_share) AS kept
                 FROM billing.released_wallet w
                 JOIN billing.settlement_due d ON d.wallet = w.wallet AND d.seq <= w.seq AND d.cumulative <= w.settled
                 JOIN billing.receipt r ON r.batch_id = d.batch_id AND r.wallet = d.wallet AND r.kind = 'usage'
                 CROSS JOIN LATERAL (
                   SELECT * FROM billing.usage_record o WHERE o.wallet = r.wallet AND o.hold_id = r.receipt_id
                   OFFSET 0
                 ) u
                 WHERE NOT EXISTS (SELECT FROM billing.credit c
                                   WHERE c.wallet = u.wallet AND c.kind = 'refund' AND c.credit_id = u.hold_id OFFSET 0)
                 GROUP BY u.provider) s USING (provider)
      LEFT JOIN (SELECT u.provider, sum(u.provider_share) AS refunded
                 FROM billing.credit c
                 CROSS JOIN LATERAL (
                   SELECT * FROM billing.usage_record o WHERE o.wallet = c.wallet AND o.hold_id = c.credit_id
                   OFFSET 0
                 ) u
                 WHERE c.kind = 'refund' GROUP BY u.provider) b USING (provider)
      WHERE NOT coalesce(p.released, 0) - coalesce(s.kept, 0) BETWEEN 0 AND coalesce(b.refunded, 0)`,
  },
];
