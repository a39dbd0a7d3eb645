-- Receipts: one row for everything that changed what a wallet owes, in a form that settlement batches can work on. Made
-- from usage records and credits after their commit, so that the ledger's batches need not wait for it.
-- See docs/decisions/0010-settlement-and-receipts.md.

CREATE TABLE billing.receipt (
  wallet     text COLLATE "C" NOT NULL,
  -- The request's id, or the credit's.
  receipt_id text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL CHECK (kind IN ('usage', 'refund', 'credit')),
  -- What the wallet owes more; negative for refunds and credits. 0 for what was served for nothing.
  amount     bigint NOT NULL CHECK ((kind = 'usage') = (amount >= 0)),
  created_at timestamptz NOT NULL,
  -- The settlement batch that collects it; NULL before there is one. Set once.
  batch_id   text COLLATE "C",
  -- Its leaf in the tree of its due, set with the batch: a proof needs those of all its neighbours, and hashing takes time.
  leaf       bytea CHECK (leaf IS NULL OR (batch_id IS NOT NULL AND length(leaf) = 32)),
  PRIMARY KEY (wallet, receipt_id, kind)
);
CREATE INDEX receipt_unbatched ON billing.receipt (wallet) WHERE batch_id IS NULL;
CREATE INDEX receipt_batched ON billing.receipt (batch_id, wallet) WHERE batch_id IS NOT NULL;

-- How far each follower has read: everything of commits before this one.
CREATE TABLE billing.projection (
  name      text PRIMARY KEY,
  next_txid xid8 NOT NULL,
  -- The sum of the amounts read so far, base units: held against what the wallets say they were charged and credited.
  total     numeric NOT NULL DEFAULT 0
);
INSERT INTO billing.projection VALUES ('usage', '0'), ('credit', '0');

-- Makes receipts of what came since the last call, exactly once; one call at a time. Returns how many usage records and
-- credits it read: call again until that is less than `most`. Plans are made for each call: what is new lies beyond what
-- any statistics know.
CREATE FUNCTION billing.project_receipts(most integer) RETURNS integer LANGUAGE plpgsql
SET plan_cache_mode = 'force_custom_plan'
AS $$
DECLARE
  -- Commits from here on may still be under way.
  horizon xid8;
  first   xid8;
  last    xid8;
  taken   integer;
  given   integer;
BEGIN
  SELECT p.next_txid INTO first FROM billing.projection p WHERE p.name = 'usage' FOR UPDATE;
  -- Read after the lock: whoever held it has read further.
  horizon := pg_snapshot_xmin(pg_current_snapshot());
  SELECT max(u.txid), count(*) INTO last, taken FROM (
    SELECT r.txid FROM billing.usage_record r WHERE r.txid >= first AND r.txid < horizon ORDER BY r.txid LIMIT most) u;
  IF last IS NOT NULL THEN
    WITH made AS (
      INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at)
      SELECT u.wallet, u.hold_id, 'usage', u.cost, u.created_at
      FROM billing.usage_record u WHERE u.txid BETWEEN first AND last AND NOT u.late
      RETURNING amount
    )
    UPDATE billing.projection
    SET next_txid = (last::text::numeric + 1)::text::xid8, total = total + (SELECT coalesce(sum(m.amount), 0) FROM made m)
    WHERE name = 'usage';
  END IF;

  SELECT p.next_txid INTO first FROM billing.projection p WHERE p.name = 'credit' FOR UPDATE;
  -- Not before the receipt of the charge that a refund gives back.
  IF taken >= most THEN
    RETURN taken;
  END IF;
  SELECT max(c.txid), count(*) INTO last, given FROM (
    SELECT r.txid FROM billing.credit r WHERE r.txid >= first AND r.txid < horizon ORDER BY r.txid LIMIT most) c;
  IF last IS NOT NULL THEN
    WITH made AS (
      INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at)
      SELECT c.wallet, c.credit_id, c.kind, -c.amount, c.created_at
      FROM billing.credit c WHERE c.txid BETWEEN first AND last
      RETURNING amount
    )
    UPDATE billing.projection
    SET next_txid = (last::text::numeric + 1)::text::xid8, total = total - (SELECT coalesce(sum(m.amount), 0) FROM made m)
    WHERE name = 'credit';
  END IF;
  RETURN greatest(taken, given);
END
$$;
