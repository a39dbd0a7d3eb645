-- A service asks at its start whether the database has every migration of its version. The history itself is not its to read.

CREATE FUNCTION billing.applied_migrations() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT migration_name::text FROM public._prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
$$;

CREATE FUNCTION catalog.applied_migrations() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT migration_name::text FROM public._prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
$$;
