-- As of transactions: which payout root was made last is counted. By itself, for whoever reads both tables takes this one first.

ALTER TABLE billing.payout ADD COLUMN seq bigint;
UPDATE billing.payout p SET seq = n.seq
FROM (SELECT payout_id, row_number() OVER (ORDER BY created_at) AS seq FROM billing.payout) n WHERE n.payout_id = p.payout_id;
ALTER TABLE billing.payout ALTER COLUMN seq SET NOT NULL, ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(pg_get_serial_sequence('billing.payout', 'seq'), coalesce(max(seq), 0) + 1, false) FROM billing.payout;
CREATE UNIQUE INDEX payout_seq ON billing.payout (seq);
