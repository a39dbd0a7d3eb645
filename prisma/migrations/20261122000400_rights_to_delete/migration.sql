-- A service may delete what it deletes, and nothing else: from tables made later only where a migration says so. Replies of idempotent
-- requests go with their request, by the rights of the table's owner.

REVOKE DELETE ON ALL TABLES IN SCHEMA billing FROM svc_billing;
GRANT DELETE ON
  billing.open_hold, billing.idempotency, billing.chain_block, billing.settlement_event, billing.signer_lease, billing.short_wallet
TO svc_billing;
ALTER DEFAULT PRIVILEGES IN SCHEMA billing REVOKE DELETE ON TABLES FROM svc_billing;

-- Former canaries and their probes.
REVOKE DELETE ON ALL TABLES IN SCHEMA catalog FROM svc_catalog;
GRANT DELETE ON catalog.certifications, catalog.certification_probes TO svc_catalog;
ALTER DEFAULT PRIVILEGES IN SCHEMA catalog REVOKE DELETE ON TABLES FROM svc_catalog;
