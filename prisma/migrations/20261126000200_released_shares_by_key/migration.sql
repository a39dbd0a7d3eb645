-- Of each receipt the one usage record is looked up by its key: OFFSET 0 keeps it a lookup. A planner that was told of few rows, as that of a
-- new database is, read all records of the wallet for each receipt, and the marketplace made no receipts meanwhile.

-- Releases the shares of every receipt in a due that is wholly pulled at the safe depth, and takes back those of dues that
-- are no longer (after a reorganisation below it). Exactly once: what was released is known by line. Nothing that the
-- platform pays is released: late posts and what was served beyond a hold have no receipt. Looks at `most` wallets after
-- `beyond` whose pulled figure changed, and goes through `most` of their dues; returns the last wallet that nothing is left
-- of, or `beyond`; NULL when there was nobody.
CREATE OR REPLACE FUNCTION billing.release_shares(beyond text, most integer) RETURNS text LANGUAGE plpgsql
SET plan_cache_mode = 'force_custom_plan'
AS $$
DECLARE
  reached text;
BEGIN
  -- One at a time; what the one before did is seen by the statement below.
  LOCK TABLE billing.released_wallet IN SHARE ROW EXCLUSIVE MODE;
  WITH moved AS MATERIALIZED (
    SELECT w.wallet, w.settled_safe AS settled, coalesce(r.seq, 0) AS former,
           coalesce((SELECT d.seq FROM billing.settlement_due d
                     WHERE d.wallet = w.wallet AND d.cumulative <= w.settled_safe ORDER BY d.seq DESC LIMIT 1), 0) AS goal
    FROM billing.wallet w LEFT JOIN billing.released_wallet r ON r.wallet = w.wallet
    WHERE w.wallet > beyond AND w.settled_safe <> coalesce(r.settled, 0)
    ORDER BY w.wallet LIMIT most
  ), taken AS MATERIALIZED (
    -- Of each wallet the dues next to where it stands.
    SELECT m.wallet, sign(m.goal - m.former)::integer AS direction, d.batch_id
    FROM moved m CROSS JOIN LATERAL (
      SELECT l.batch_id, abs(l.seq - m.former) AS distance FROM billing.settlement_due l
      WHERE l.wallet = m.wallet AND l.seq > least(m.goal, m.former) AND l.seq <= greatest(m.goal, m.former)
      ORDER BY distance LIMIT most
    ) d
    ORDER BY m.wallet, d.distance LIMIT most
  ), stepped AS MATERIALIZED (
    -- A wallet's lines have no gaps.
    SELECT m.*, coalesce(t.dues, 0) AS dues, m.former + sign(m.goal - m.former)::integer * coalesce(t.dues, 0)::integer AS seq
    FROM moved m LEFT JOIN (SELECT t.wallet, count(*) AS dues FROM taken t GROUP BY t.wallet) t ON t.wallet = m.wallet
  ), noted AS (
    INSERT INTO billing.released_wallet AS r (wallet, settled, seq)
    SELECT s.wallet, CASE WHEN s.seq = s.goal THEN s.settled ELSE coalesce(d.cumulative, 0) END, s.seq
    FROM stepped s LEFT JOIN billing.settlement_due d ON d.wallet = s.wallet AND d.seq = s.seq
    WHERE s.seq = s.goal OR s.dues > 0
    ON CONFLICT (wallet) DO UPDATE SET settled = excluded.settled, seq = excluded.seq
  ), shares AS (
    SELECT u.provider, sum(u.provider_share * t.direction) AS amount
    FROM taken t
    JOIN billing.receipt r ON r.batch_id = t.batch_id AND r.wallet = t.wallet AND r.kind = 'usage'
    CROSS JOIN LATERAL (
      SELECT * FROM billing.usage_record o WHERE o.wallet = r.wallet AND o.hold_id = r.receipt_id
      OFFSET 0
    ) u
    -- What was given back nobody paid for: a client and a provider in league could ask for that all day.
    WHERE NOT EXISTS (SELECT FROM billing.credit c
                      WHERE c.wallet = u.wallet AND c.kind = 'refund' AND c.credit_id = u.hold_id)
    GROUP BY u.provider HAVING sum(u.provider_share) > 0
  ), added AS (
    UPDATE billing.provider_released p SET released = p.released + s.amount FROM shares s WHERE p.provider = s.provider
    RETURNING p.provider
  ), first AS (
    INSERT INTO billing.provider_released (provider, released)
    SELECT s.provider, s.amount FROM shares s WHERE s.provider NOT IN (SELECT a.provider FROM added a)
  )
  SELECT CASE WHEN count(*) > 0
              THEN coalesce(max(s.wallet) FILTER (
                     WHERE NOT EXISTS (SELECT FROM stepped e WHERE e.wallet <= s.wallet AND e.seq <> e.goal)), beyond) END
  INTO reached FROM stepped s;
  RETURN reached;
END
$$;
