-- New words of the ledger. On their own, because PostgreSQL takes a new value of an enum into use only after the commit
-- that made it.

ALTER TYPE billing.account ADD VALUE 'settled';        -- what was collected on chain, less what was paid out there

ALTER TYPE billing.transfer_kind ADD VALUE 'credit';   -- given to a wallet by an operator, at the platform's cost
ALTER TYPE billing.transfer_kind ADD VALUE 'settle';   -- the chain shows that a payer paid so much more
ALTER TYPE billing.transfer_kind ADD VALUE 'unsettle'; -- the chain turned out otherwise, deeper than the safe depth
ALTER TYPE billing.transfer_kind ADD VALUE 'payout';   -- the chain shows that a provider was paid so much more
ALTER TYPE billing.transfer_kind ADD VALUE 'unpayout'; -- likewise taken back
