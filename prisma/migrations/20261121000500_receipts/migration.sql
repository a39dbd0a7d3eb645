-- Receipts: one row for everything that changed what a wallet owes, in a form that settlement batches and statements can
-- work on. Made from usage records and credits after their commit, so that the ledger's batches need not wait for it.
-- See docs/decisions/0010-settlement-and-receipts.md.

CREATE TABLE billing.receipt (
  wallet     text COLLATE "C" NOT NULL,
  -- The request's id, or the credit's.
  receipt_id text COLLATE "C" NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('usage', 'refund', 'credit')),
  -- What the wallet owes more; negative for refunds and credits. 0 for what was served for nothing.
  amount     bigint NOT NULL CHECK ((kind = 'usage') = (amount >= 0)),
  created_at timestamptz NOT NULL,
  -- The settlement batch that collects it; NULL before there is one. Set once.
  batch_id   text COLLATE "C",
  PRIMARY KEY (wallet, receipt_id, kind)
);
CREATE INDEX receipt_unbatched ON billing.receipt (wallet) WHERE batch_id IS NULL;
CREATE INDEX receipt_batched ON billing.receipt (batch_id, wallet) WHERE batch_id IS NOT NULL;

-- Sums of usage by the hour (UTC) and by what one asks for.
CREATE TABLE billing.usage_hour (
  wallet            text COLLATE "C" NOT NULL,
  hour              timestamptz NOT NULL,
  key_id            text COLLATE "C" NOT NULL,
  model             text COLLATE "C" NOT NULL,
  provider          text COLLATE "C" NOT NULL,
  requests          bigint NOT NULL,
  prompt_tokens     bigint NOT NULL,
  completion_tokens bigint NOT NULL,
  -- What the payer was charged; nothing for a post that came too late.
  cost              bigint NOT NULL,
  provider_share    bigint NOT NULL,
  PRIMARY KEY (wallet, hour, key_id, model, provider)
);
CREATE INDEX usage_hour_provider ON billing.usage_hour (provider, hour);

-- How far each follower has read: everything of commits before this one.
CREATE TABLE billing.projection (
  name      text PRIMARY KEY,
  next_txid xid8 NOT NULL
);
INSERT INTO billing.projection VALUES ('usage', '0'), ('credit', '0');

-- Makes receipts and sums of what came since the last call, exactly once; one call at a time. Returns how many receipts
-- it made: call again until that is less than `most`.
CREATE FUNCTION billing.project_receipts(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  -- Commits from here on may still be under way.
  horizon xid8;
  first   xid8;
  last    xid8;
  made    integer := 0;
  counted integer;
BEGIN
  SELECT p.next_txid INTO first FROM billing.projection p WHERE p.name = 'usage' FOR UPDATE;
  -- Read after the lock: whoever held it has read further.
  horizon := pg_snapshot_xmin(pg_current_snapshot());
  SELECT max(u.txid) INTO last FROM (
    SELECT r.txid FROM billing.usage_record r WHERE r.txid >= first AND r.txid < horizon ORDER BY r.txid LIMIT most) u;
  IF last IS NOT NULL THEN
    INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at)
    SELECT u.wallet, u.hold_id, 'usage', u.cost, u.created_at
    FROM billing.usage_record u WHERE u.txid BETWEEN first AND last AND NOT u.late;
    GET DIAGNOSTICS made = ROW_COUNT;
    INSERT INTO billing.usage_hour AS h
      (wallet, hour, key_id, model, provider, requests, prompt_tokens, completion_tokens, cost, provider_share)
    SELECT u.wallet, date_trunc('hour', u.created_at, 'UTC'), u.key_id, u.model, u.provider, count(*),
           sum(u.prompt_tokens), sum(u.completion_tokens), coalesce(sum(u.cost) FILTER (WHERE NOT u.late), 0),
           sum(u.provider_share)
    FROM billing.usage_record u WHERE u.txid BETWEEN first AND last
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (wallet, hour, key_id, model, provider) DO UPDATE
    SET requests = h.requests + excluded.requests, prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = h.completion_tokens + excluded.completion_tokens, cost = h.cost + excluded.cost,
        provider_share = h.provider_share + excluded.provider_share;
    UPDATE billing.projection SET next_txid = (last::text::bigint + 1)::text::xid8 WHERE name = 'usage';
  END IF;

  -- Not before the receipt of the charge that a refund gives back.
  SELECT p.next_txid INTO first FROM billing.projection p WHERE p.name = 'credit' FOR UPDATE;
  IF made < most THEN
    SELECT max(c.txid) INTO last FROM (
      SELECT r.txid FROM billing.credit r WHERE r.txid >= first AND r.txid < horizon ORDER BY r.txid LIMIT most) c;
    IF last IS NOT NULL THEN
      INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at)
      SELECT c.wallet, c.credit_id, c.kind, -c.amount, c.created_at
      FROM billing.credit c WHERE c.txid BETWEEN first AND last;
      GET DIAGNOSTICS counted = ROW_COUNT;
      made := made + counted;
      UPDATE billing.projection SET next_txid = (last::text::bigint + 1)::text::xid8 WHERE name = 'credit';
    END IF;
  END IF;
  RETURN made;
END
$$;
