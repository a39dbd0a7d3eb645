-- A step of releasing looks at a bounded number of wallets. It looked at all of them until it had found enough that had something left: four
-- pages each, under the lock, so that with some millions of wallets it would have taken longer than a statement may. What is released is
-- the same.

-- Releases the shares of every receipt in a due that is wholly pulled at the safe depth, and takes back those of dues that
-- are no longer (after a reorganisation below it). Exactly once: what was released is known by line. Nothing that the
-- platform pays is released: late posts and what was served beyond a hold have no receipt. Looks at 40 times `most` wallets after
-- `beyond`, for `most` whose pulled figure changed, and goes through `most` of their dues; returns the wallet up to which nothing
-- is left, or `beyond`; NULL when nothing is left of anybody after it.
CREATE OR REPLACE FUNCTION billing.release_shares(beyond text, most integer) RETURNS text LANGUAGE plpgsql
SET plan_cache_mode = 'force_custom_plan' SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  reached text;
  waiting text;
BEGIN
  -- One at a time; what the one before did is seen by the statement below.
  LOCK TABLE billing.released_wallet IN SHARE ROW EXCLUSIVE MODE;
  WITH looked AS MATERIALIZED (
    -- Also the last of them, whatever its figure: up to there nothing is left.
    SELECT w.wallet, w.settled_safe AS settled, coalesce(r.settled, 0) AS released, coalesce(r.seq, 0) AS former
    FROM (
      SELECT a.wallet, a.settled_safe, row_number() OVER (ORDER BY a.wallet) AS nth FROM billing.wallet a
      WHERE a.wallet > beyond ORDER BY a.wallet LIMIT 40 * most
    ) w
    LEFT JOIN LATERAL (SELECT * FROM billing.released_wallet o WHERE o.wallet = w.wallet OFFSET 0) r ON true
    WHERE w.settled_safe <> coalesce(r.settled, 0) OR w.nth = 40 * most
    ORDER BY w.wallet LIMIT most
  ), moved AS MATERIALIZED (
    SELECT l.wallet, l.settled, l.former,
           coalesce((SELECT d.seq FROM billing.settlement_due d
                     WHERE d.wallet = l.wallet AND d.cumulative <= l.settled ORDER BY d.seq DESC LIMIT 1), 0) AS goal
    FROM looked l WHERE l.settled <> l.released
  ), taken AS MATERIALIZED (
    -- Of each wallet the dues next to where it stands.
    SELECT m.wallet, sign(m.goal - m.former)::integer AS direction, d.batch_id
    FROM moved m CROSS JOIN LATERAL (
      SELECT l.batch_id, abs(l.seq - m.former) AS distance FROM billing.settlement_due l
      WHERE l.wallet = m.wallet AND l.seq > greatest(least(m.goal, m.former), m.former - most)
        AND l.seq <= least(greatest(m.goal, m.former), m.former + most)
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
                      WHERE c.wallet = u.wallet AND c.kind = 'refund' AND c.credit_id = u.hold_id OFFSET 0)
    GROUP BY u.provider HAVING sum(u.provider_share) > 0
  ), added AS (
    UPDATE billing.provider_released p SET released = p.released + s.amount FROM shares s WHERE p.provider = s.provider
    RETURNING p.provider
  ), first AS (
    INSERT INTO billing.provider_released (provider, released)
    SELECT s.provider, s.amount FROM shares s WHERE s.provider NOT IN (SELECT a.provider FROM added a)
  )
  SELECT (SELECT max(l.wallet) FROM looked l), min(s.wallet) FILTER (WHERE s.seq <> s.goal) INTO reached, waiting FROM stepped s;
  IF waiting IS NOT NULL THEN
    -- Not from the last that was released: all in between would be looked at for each step.
    reached := coalesce((SELECT w.wallet FROM billing.wallet w WHERE w.wallet < waiting ORDER BY w.wallet DESC LIMIT 1), beyond);
  END IF;
  RETURN reached;
END
$$;
