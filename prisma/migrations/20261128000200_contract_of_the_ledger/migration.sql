-- Which contract the ledger belongs to, for good; one row. What wallets have paid is what this contract has pulled from them: with another one
-- nothing would count as paid, and all that was ever charged would be collected again. A ledger of before takes the one that it is next used with.

CREATE TABLE billing.chain_contract (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  chain_id   bigint NOT NULL,
  settlement text COLLATE "C" NOT NULL CHECK (settlement ~ '^0x[0-9a-f]{40}$'),
  usdc       text COLLATE "C" NOT NULL CHECK (usdc ~ '^0x[0-9a-f]{40}$'),
  bound_at   timestamptz NOT NULL DEFAULT now()
);
REVOKE UPDATE, DELETE, TRUNCATE ON billing.chain_contract FROM svc_billing;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON billing.chain_contract
  FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();
