-- What the next batch collects is found without reading all that waits: each index has the order in which its receipts are taken, so that
-- no planner, whatever it was told of the table, fetches all of them to sort them. What costs nothing, and what was given back, waits beside
-- many charges.
DROP INDEX billing.receipt_unbatched;
CREATE INDEX receipt_unbatched ON billing.receipt (wallet, created_at, receipt_id) WHERE batch_id IS NULL;
CREATE INDEX receipt_unbatched_free ON billing.receipt (wallet, created_at, receipt_id) WHERE batch_id IS NULL AND amount = 0;
CREATE INDEX receipt_unbatched_given ON billing.receipt (wallet, amount, created_at, receipt_id) WHERE batch_id IS NULL AND amount < 0;
