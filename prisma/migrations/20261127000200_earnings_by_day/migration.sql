-- What providers earned, by the day too, as usage is kept: earnings by the month, and all that a provider was ever credited with, were added up
-- from its hours, which of one with eight models are 70,000 a year; without bitmap scans the database read the hours of all providers for that.

CREATE TABLE billing.provider_day (
  provider          text COLLATE "C" NOT NULL,
  day               timestamptz NOT NULL,
  model             text COLLATE "C" NOT NULL,
  requests          bigint NOT NULL,
  prompt_tokens     bigint NOT NULL,
  completion_tokens bigint NOT NULL,
  credited          bigint NOT NULL,
  PRIMARY KEY (provider, day, model)
) WITH (fillfactor = 80);

-- Statements wait for this commit, and so do receipts of what comes meanwhile: billing.project_receipts reads up to the oldest transaction under
-- way. Requests do not, nor does the settlement of what has its receipt. More than some 5 million provider hours want a longer SETUP_TIMEOUT_MS.
-- A call that waits already has the function as it was before, and what that projects would be in the hours alone: its row is gone when it goes
-- on, so that it finds nothing to do, and the next call has this one.
CREATE TEMPORARY TABLE statement_projection ON COMMIT DROP AS SELECT * FROM billing.projection WITH NO DATA;
WITH taken AS (DELETE FROM billing.projection WHERE name = 'statement' RETURNING *) INSERT INTO statement_projection SELECT * FROM taken;
INSERT INTO billing.projection SELECT * FROM statement_projection;

INSERT INTO billing.provider_day (provider, day, model, requests, prompt_tokens, completion_tokens, credited)
SELECT provider, date_trunc('day', hour, 'UTC'), model, sum(requests), sum(prompt_tokens), sum(completion_tokens), sum(credited)
FROM billing.provider_hour GROUP BY 1, 2, 3;

-- As before, and by the day.
CREATE OR REPLACE FUNCTION billing.project_statements(most integer) RETURNS integer LANGUAGE plpgsql
SET plan_cache_mode = 'force_generic_plan' SET enable_bitmapscan = off SET enable_seqscan = off
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
  SELECT max(n.txid), count(*) INTO last, taken FROM (
    (SELECT u.txid FROM billing.usage_record u WHERE u.txid >= first AND u.txid < horizon ORDER BY u.txid LIMIT most)
    UNION ALL
    (SELECT f.txid FROM billing.unserved_request f WHERE f.txid >= first AND f.txid < horizon ORDER BY f.txid LIMIT most)
    ORDER BY txid LIMIT most) n;
  IF last IS NULL THEN
    RETURN 0;
  END IF;
  WITH news AS MATERIALIZED (
    SELECT u.wallet, u.created_at, date_trunc('hour', u.created_at, 'UTC') AS hour, u.hold_id, u.key_id, u.model,
           u.provider, u.prompt_tokens, u.completion_tokens, CASE WHEN u.late THEN 0 ELSE u.cost END AS cost,
           u.provider_share + CASE WHEN u.platform_loss > 0 THEN coalesce((
             SELECT t.amount FROM billing.transfer t
             WHERE t.wallet = u.wallet AND t.reference = u.hold_id AND t.leg = 7), 0) ELSE 0 END AS credited,
           1 AS served, 0 AS error, (u.first_token_ms IS NOT NULL)::integer AS timed,
           CASE WHEN u.first_token_ms IS NULL THEN 0 ELSE u.first_token_ms END AS first_token_ms,
           CASE WHEN u.first_token_ms IS NULL THEN 0 ELSE coalesce(u.total_ms, u.first_token_ms) END AS total_ms
    FROM billing.usage_record u WHERE u.txid BETWEEN first AND last
    UNION ALL
    SELECT f.wallet, f.created_at, date_trunc('hour', f.created_at, 'UTC'), f.hold_id, f.key_id, f.model,
           '', 0, 0, 0, 0, 0, (f.reason <> ALL ('{cancelled,client_gone}'))::integer, 0, 0, 0
    FROM billing.unserved_request f WHERE f.txid BETWEEN first AND last
  ), lines AS (
    INSERT INTO billing.usage_line (wallet, created_at, hold_id, key_id, model, provider)
    SELECT n.wallet, n.created_at, n.hold_id, n.key_id, n.model, n.provider FROM news n
  ), hours AS (
    INSERT INTO billing.usage_hour AS h
      (wallet, hour, key_id, model, provider, requests, prompt_tokens, completion_tokens, cost,
       unserved, errors, timed, first_token_ms, total_ms)
    SELECT n.wallet, n.hour, n.key_id, n.model, n.provider,
           sum(n.served), sum(n.prompt_tokens), sum(n.completion_tokens), sum(n.cost),
           sum(1 - n.served), sum(n.error), sum(n.timed), sum(n.first_token_ms), sum(n.total_ms)
    FROM news n GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (wallet, hour, key_id, model, provider) DO UPDATE
    SET requests = h.requests + excluded.requests, prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = h.completion_tokens + excluded.completion_tokens, cost = h.cost + excluded.cost,
        unserved = h.unserved + excluded.unserved, errors = h.errors + excluded.errors, timed = h.timed + excluded.timed,
        first_token_ms = h.first_token_ms + excluded.first_token_ms, total_ms = h.total_ms + excluded.total_ms
  ), days AS (
    INSERT INTO billing.usage_day AS d
      (wallet, day, key_id, model, provider, requests, prompt_tokens, completion_tokens, cost,
       unserved, errors, timed, first_token_ms, total_ms)
    SELECT n.wallet, date_trunc('day', n.hour, 'UTC'), n.key_id, n.model, n.provider,
           sum(n.served), sum(n.prompt_tokens), sum(n.completion_tokens), sum(n.cost),
           sum(1 - n.served), sum(n.error), sum(n.timed), sum(n.first_token_ms), sum(n.total_ms)
    FROM news n GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (wallet, day, key_id, model, provider) DO UPDATE
    SET requests = d.requests + excluded.requests, prompt_tokens = d.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = d.completion_tokens + excluded.completion_tokens, cost = d.cost + excluded.cost,
        unserved = d.unserved + excluded.unserved, errors = d.errors + excluded.errors, timed = d.timed + excluded.timed,
        first_token_ms = d.first_token_ms + excluded.first_token_ms, total_ms = d.total_ms + excluded.total_ms
  ), providers AS (
    INSERT INTO billing.provider_hour AS p
      (provider, hour, model, requests, prompt_tokens, completion_tokens, credited)
    SELECT n.provider, n.hour, n.model, count(*), sum(n.prompt_tokens), sum(n.completion_tokens), sum(n.credited)
    FROM news n WHERE n.served = 1 GROUP BY 1, 2, 3
    ON CONFLICT (provider, hour, model) DO UPDATE
    SET requests = p.requests + excluded.requests, prompt_tokens = p.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = p.completion_tokens + excluded.completion_tokens, credited = p.credited + excluded.credited
  ), provider_days AS (
    INSERT INTO billing.provider_day AS p
      (provider, day, model, requests, prompt_tokens, completion_tokens, credited)
    SELECT n.provider, date_trunc('day', n.hour, 'UTC'), n.model, count(*), sum(n.prompt_tokens), sum(n.completion_tokens),
           sum(n.credited)
    FROM news n WHERE n.served = 1 GROUP BY 1, 2, 3
    ON CONFLICT (provider, day, model) DO UPDATE
    SET requests = p.requests + excluded.requests, prompt_tokens = p.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = p.completion_tokens + excluded.completion_tokens, credited = p.credited + excluded.credited
  )
  UPDATE billing.projection
  SET next_txid = (last::text::numeric + 1)::text::xid8, total = total + (SELECT coalesce(sum(n.cost), 0) FROM news n)
  WHERE name = 'statement';
  RETURN taken;
END
$$;
