import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';

/** A database of a spec's own, over one connection, so that what is read can be counted. */
export class CountedDatabase {
  private constructor(
    private readonly database: TestDatabase,
    readonly prisma: PrismaClient,
  ) {}

  static async start(): Promise<CountedDatabase> {
    const database = await createTestDatabase();
    return new CountedDatabase(database, createPrismaClient(database.catalogUrl, { maxConnections: 1 }));
  }

  async stop(): Promise<void> {
    await this.prisma.$disconnect();
    await this.database.drop();
  }

  /** Once it is filled: plans go by what is known of the tables. */
  analyse(): Promise<void> {
    return this.asOwner('ANALYZE');
  }

  /** Before it is filled: plans go by nothing, as in a database that is new. */
  keepUnanalysed(): Promise<void> {
    return this.database.keepUnanalysed();
  }

  async asOwner(sql: string): Promise<void> {
    const owner = new Client({ connectionString: this.database.adminUrl });
    await owner.connect();
    try {
      await owner.query(sql);
    } finally {
      await owner.end();
    }
  }

  /** How many rows of one of the catalogue's tables were read so far. */
  async rowsRead(table: string): Promise<number> {
    await this.prisma.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
    const [row] = await this.prisma.$queryRaw<{ rows: number }[]>`
      SELECT (seq_tup_read + idx_tup_fetch)::float8 AS rows FROM pg_stat_user_tables
      WHERE schemaname = 'catalog' AND relname = ${table}`;
    return row?.rows ?? NaN;
  }
}
