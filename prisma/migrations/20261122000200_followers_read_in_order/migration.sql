-- What waits for a follower is read in order, a piece at a time. It lies beyond what statistics know, and a planner that expects few rows
-- fetches all of them to sort them: each piece cost as much as all that waited.
ALTER FUNCTION billing.project_receipts(integer) SET enable_bitmapscan = off SET enable_seqscan = off;
ALTER FUNCTION billing.project_statements(integer) SET enable_bitmapscan = off SET enable_seqscan = off;

-- What each follower has not read yet, counted up to `most` in each of its tables, and how long the oldest of that has been waiting, in
-- seconds; 0 when nothing waits.
CREATE FUNCTION billing.projection_lag(most integer) RETURNS TABLE (name text, waiting integer, seconds float8)
LANGUAGE sql STABLE SET enable_bitmapscan = off SET enable_seqscan = off
AS $$
  SELECT CASE parts.name WHEN 'statement' THEN 'statements' ELSE 'receipts' END,
         sum(parts.waiting)::integer,
         greatest(coalesce(extract(epoch FROM now() - min(parts.since)), 0), 0)::float8
  FROM (
    SELECT p.name, w.* FROM billing.projection p CROSS JOIN LATERAL (
      SELECT count(*) AS waiting, min(u.created_at) AS since FROM (
        SELECT r.created_at FROM billing.usage_record r WHERE r.txid >= p.next_txid ORDER BY r.txid LIMIT most) u
    ) w WHERE p.name IN ('usage', 'statement')
    UNION ALL
    SELECT p.name, w.* FROM billing.projection p CROSS JOIN LATERAL (
      SELECT count(*), min(f.created_at) FROM (
        SELECT r.created_at FROM billing.unserved_request r WHERE r.txid >= p.next_txid ORDER BY r.txid LIMIT most) f
    ) w WHERE p.name = 'statement'
    UNION ALL
    SELECT p.name, w.* FROM billing.projection p CROSS JOIN LATERAL (
      SELECT count(*), min(c.created_at) FROM (
        SELECT r.created_at FROM billing.credit r WHERE r.txid >= p.next_txid ORDER BY r.txid LIMIT most) c
    ) w WHERE p.name = 'credit'
  ) parts
  GROUP BY 1
$$;
