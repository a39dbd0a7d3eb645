import { defineConfig } from 'prisma/config';

/** For the Prisma command line only; the services take their database from their own configuration. */
export default defineConfig({
  schema: 'schema.prisma',
  migrations: { path: 'migrations' },
  // `generate` and `validate` need no database, so the variable may be missing.
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
