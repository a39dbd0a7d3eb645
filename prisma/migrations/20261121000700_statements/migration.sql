-- What statements read: usage in order of time and by what one asks for, in sums by hour and day, and what providers
-- earned. Made from usage records after their commit, apart from receipts: settlement need not wait for statements.
-- See docs/statements.md for the plans.

-- One row for each usage record, in the order in which statements show them. Rows are only ever added.
CREATE TABLE billing.usage_line (
  wallet     text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  hold_id    text COLLATE "C" NOT NULL,
  key_id     text COLLATE "C" NOT NULL,
  model      text COLLATE "C" NOT NULL,
  provider   text COLLATE "C" NOT NULL,
  PRIMARY KEY (wallet, created_at, hold_id)
);
CREATE INDEX usage_line_series ON billing.usage_line (wallet, key_id, model, provider, created_at, hold_id);

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
  PRIMARY KEY (wallet, hour, key_id, model, provider)
) WITH (fillfactor = 80);
CREATE INDEX usage_hour_key ON billing.usage_hour (wallet, key_id, hour);
CREATE INDEX usage_hour_model ON billing.usage_hour (wallet, model, hour);
CREATE INDEX usage_hour_provider ON billing.usage_hour (wallet, provider, hour);

-- The same by the day: a year of them is read in the time that a fortnight of hours takes.
CREATE TABLE billing.usage_day (
  wallet            text COLLATE "C" NOT NULL,
  day               timestamptz NOT NULL,
  key_id            text COLLATE "C" NOT NULL,
  model             text COLLATE "C" NOT NULL,
  provider          text COLLATE "C" NOT NULL,
  requests          bigint NOT NULL,
  prompt_tokens     bigint NOT NULL,
  completion_tokens bigint NOT NULL,
  cost              bigint NOT NULL,
  PRIMARY KEY (wallet, day, key_id, model, provider)
) WITH (fillfactor = 80);

-- What a provider was credited with, over all wallets: shares of charges, and what the platform paid in a payer's place.
CREATE TABLE billing.provider_hour (
  provider          text COLLATE "C" NOT NULL,
  hour              timestamptz NOT NULL,
  model             text COLLATE "C" NOT NULL,
  requests          bigint NOT NULL,
  prompt_tokens     bigint NOT NULL,
  completion_tokens bigint NOT NULL,
  credited          bigint NOT NULL,
  PRIMARY KEY (provider, hour, model)
) WITH (fillfactor = 80);

CREATE INDEX credit_newest ON billing.credit (wallet, created_at, kind, credit_id);

INSERT INTO billing.projection VALUES ('statement', '0');

-- Makes lines and sums of the usage that came since the last call, exactly once; one call at a time. Returns how many
-- records it read: call again until that is less than `most`.
CREATE FUNCTION billing.project_statements(most integer) RETURNS integer LANGUAGE plpgsql
SET plan_cache_mode = 'force_custom_plan'
AS $$
DECLARE
  horizon xid8;
  first   xid8;
  last    xid8;
  taken   integer;
BEGIN
  SELECT p.next_txid INTO first FROM billing.projection p WHERE p.name = 'statement' FOR UPDATE;
  -- Read after the lock, as in billing.project_receipts.
  horizon := pg_snapshot_xmin(pg_current_snapshot());
  SELECT max(u.txid), count(*) INTO last, taken FROM (
    SELECT r.txid FROM billing.usage_record r WHERE r.txid >= first AND r.txid < horizon ORDER BY r.txid LIMIT most) u;
  IF last IS NULL THEN
    RETURN 0;
  END IF;
  WITH news AS MATERIALIZED (
    SELECT u.wallet, u.created_at, date_trunc('hour', u.created_at, 'UTC') AS hour, u.hold_id, u.key_id, u.model,
           u.provider, u.prompt_tokens, u.completion_tokens, CASE WHEN u.late THEN 0 ELSE u.cost END AS cost,
           u.provider_share + CASE WHEN u.platform_loss > 0 THEN coalesce((
             SELECT t.amount FROM billing.transfer t
             WHERE t.wallet = u.wallet AND t.reference = u.hold_id AND t.leg = 7), 0) ELSE 0 END AS credited
    FROM billing.usage_record u WHERE u.txid BETWEEN first AND last
  ), lines AS (
    INSERT INTO billing.usage_line (wallet, created_at, hold_id, key_id, model, provider)
    SELECT n.wallet, n.created_at, n.hold_id, n.key_id, n.model, n.provider FROM news n
  ), hours AS (
    INSERT INTO billing.usage_hour AS h
      (wallet, hour, key_id, model, provider, requests, prompt_tokens, completion_tokens, cost)
    SELECT n.wallet, n.hour, n.key_id, n.model, n.provider,
           count(*), sum(n.prompt_tokens), sum(n.completion_tokens), sum(n.cost)
    FROM news n GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (wallet, hour, key_id, model, provider) DO UPDATE
    SET requests = h.requests + excluded.requests, prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = h.completion_tokens + excluded.completion_tokens, cost = h.cost + excluded.cost
  ), days AS (
    INSERT INTO billing.usage_day AS d
      (wallet, day, key_id, model, provider, requests, prompt_tokens, completion_tokens, cost)
    SELECT n.wallet, date_trunc('day', n.hour, 'UTC'), n.key_id, n.model, n.provider,
           count(*), sum(n.prompt_tokens), sum(n.completion_tokens), sum(n.cost)
    FROM news n GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (wallet, day, key_id, model, provider) DO UPDATE
    SET requests = d.requests + excluded.requests, prompt_tokens = d.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = d.completion_tokens + excluded.completion_tokens, cost = d.cost + excluded.cost
  ), providers AS (
    INSERT INTO billing.provider_hour AS p
      (provider, hour, model, requests, prompt_tokens, completion_tokens, credited)
    SELECT n.provider, n.hour, n.model, count(*), sum(n.prompt_tokens), sum(n.completion_tokens), sum(n.credited)
    FROM news n GROUP BY 1, 2, 3
    ON CONFLICT (provider, hour, model) DO UPDATE
    SET requests = p.requests + excluded.requests, prompt_tokens = p.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = p.completion_tokens + excluded.completion_tokens, credited = p.credited + excluded.credited
  )
  UPDATE billing.projection
  SET next_txid = (last::text::numeric + 1)::text::xid8, total = total + (SELECT coalesce(sum(n.cost), 0) FROM news n)
  WHERE name = 'statement';
  RETURN taken;
END
$$;
