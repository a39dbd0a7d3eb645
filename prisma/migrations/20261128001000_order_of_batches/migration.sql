-- As of payouts: which batch was made last is counted. What a clock dated that was ahead for a day would be the newest for so long.

ALTER TABLE billing.settlement_batch ADD COLUMN seq bigint;
UPDATE billing.settlement_batch b SET seq = n.seq
FROM (SELECT batch_id, row_number() OVER (ORDER BY created_at, batch_id) AS seq FROM billing.settlement_batch) n
WHERE n.batch_id = b.batch_id;
ALTER TABLE billing.settlement_batch ALTER COLUMN seq SET NOT NULL, ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(pg_get_serial_sequence('billing.settlement_batch', 'seq'), coalesce(max(seq), 0) + 1, false)
FROM billing.settlement_batch;
CREATE UNIQUE INDEX settlement_batch_seq ON billing.settlement_batch (seq);
