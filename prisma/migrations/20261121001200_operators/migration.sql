-- What operators look at: lists that are read page by page, and who did what to wallets and settlement.

-- Providers by name and by wallet, whatever the database's collation; the few that are suspended by themselves.
CREATE INDEX providers_name_idx ON catalog.providers (lower(name COLLATE "C"), wallet COLLATE "C");
CREATE INDEX providers_wallet_idx ON catalog.providers (wallet COLLATE "C");
CREATE INDEX providers_suspended_idx ON catalog.providers (lower(name COLLATE "C"), wallet COLLATE "C")
  WHERE suspended_at IS NOT NULL;

-- The newest definitions, for those who make an offer.
CREATE INDEX bundles_newest_idx ON catalog.bundles (model_id, created_at DESC, id);
CREATE INDEX profiles_newest_idx ON catalog.profiles (created_at DESC, id);

-- Wallets that may not spend. Predicates are on columns that the ledger's batches do not touch.
CREATE INDEX wallet_suspended ON billing.wallet (wallet) WHERE suspended_at IS NOT NULL OR pull_failed_at IS NOT NULL;

-- Who did what to wallets and to settlement, and why. Nothing here is ever changed.
CREATE TABLE billing.audit (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor   text NOT NULL,
  action  text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  reason  text
);
CREATE INDEX audit_subject ON billing.audit (subject, id DESC);
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON billing.audit
  FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();

-- The pauses of before, in the order in which they came and went.
INSERT INTO billing.audit (at, actor, action, subject, reason)
SELECT at, actor, action, 'settlement', reason FROM (
  SELECT pause_id, paused_at AS at, actor, 'settlement.pause' AS action, reason FROM billing.settlement_pause
  UNION ALL
  SELECT pause_id, resumed_at, resumed_by, 'settlement.resume', resume_reason FROM billing.settlement_pause
  WHERE resumed_at IS NOT NULL
) acts ORDER BY at, pause_id;
