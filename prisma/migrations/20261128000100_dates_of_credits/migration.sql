-- A credit is dated when it is given, under the lock of its wallet, as charges are. It bore the begin of a transaction that may have waited for
-- that lock: a refund was dated before the charge that it gives back, perhaps in another month.

ALTER TABLE billing.credit ALTER COLUMN created_at SET DEFAULT clock_timestamp();
