-- One schema and one role for each service that keeps data. A role reaches its own schema only; tables and functions
-- are made by whoever migrates, so a service cannot change its own structure either.

-- The migration runner creates these roles with their passwords beforehand; here they are only made sure of, for
-- `prisma migrate deploy` on a bare server.
DO $$
DECLARE
  service_role text;
BEGIN
  FOREACH service_role IN ARRAY ARRAY['svc_catalog', 'svc_billing'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = service_role) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', service_role);
    END IF;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), service_role);
  END LOOP;
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
END
$$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;

-- Everybody may execute a new function unless this is taken away for the whole database first.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE SCHEMA IF NOT EXISTS catalog;
REVOKE ALL ON SCHEMA catalog FROM PUBLIC;
GRANT USAGE ON SCHEMA catalog TO svc_catalog;
ALTER DEFAULT PRIVILEGES IN SCHEMA catalog GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO svc_catalog;
ALTER DEFAULT PRIVILEGES IN SCHEMA catalog GRANT USAGE, SELECT ON SEQUENCES TO svc_catalog;
ALTER DEFAULT PRIVILEGES IN SCHEMA catalog GRANT EXECUTE ON FUNCTIONS TO svc_catalog;

CREATE SCHEMA IF NOT EXISTS billing;
REVOKE ALL ON SCHEMA billing FROM PUBLIC;
GRANT USAGE ON SCHEMA billing TO svc_billing;
ALTER DEFAULT PRIVILEGES IN SCHEMA billing GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO svc_billing;
ALTER DEFAULT PRIVILEGES IN SCHEMA billing GRANT USAGE, SELECT ON SEQUENCES TO svc_billing;
ALTER DEFAULT PRIVILEGES IN SCHEMA billing GRANT EXECUTE ON FUNCTIONS TO svc_billing;
