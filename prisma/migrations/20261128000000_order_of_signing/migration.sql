-- Which transaction of a job was signed last is counted, and no longer told by its date: what was dated before the clock was set back stays the newest
-- by date until the clock is there again, and what was signed since is never sent.

ALTER TABLE billing.chain_transaction ADD COLUMN seq bigint;
UPDATE billing.chain_transaction t SET seq = n.seq
FROM (SELECT tx_hash, row_number() OVER (ORDER BY signed_at, nonce) AS seq FROM billing.chain_transaction) n
WHERE n.tx_hash = t.tx_hash;
ALTER TABLE billing.chain_transaction ALTER COLUMN seq SET NOT NULL, ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(pg_get_serial_sequence('billing.chain_transaction', 'seq'), coalesce(max(seq), 0) + 1, false) FROM billing.chain_transaction;
DROP INDEX billing.chain_transaction_job;
CREATE UNIQUE INDEX chain_transaction_job ON billing.chain_transaction (job_id, seq);
