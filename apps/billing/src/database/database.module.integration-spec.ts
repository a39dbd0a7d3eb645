import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { createLogger } from '@svc/observability';
import { createTestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { BillingConfig } from '../billing.config';
import { DatabaseModule } from './database.module';

function start(databaseUrl: string) {
  const config = Object.assign(new BillingConfig(), { databaseUrl });
  const module = DatabaseModule.forService(config, createLogger('billing', 'silent'));
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}

/** As docs/deployment.md says what to run on a restored dump. */
function recipe(): string {
  const page = readFileSync(join(__dirname, '../../../../docs/deployment.md'), 'utf8');
  const [, sql] = /```sql\n(DO [\s\S]*?)```/.exec(page) ?? [];
  return sql ?? 'none';
}

describe('the database module', () => {
  it('does not start on a database that does not let the role in', async () => {
    const database = await createTestDatabase();
    const wrong = new URL(database.billingUrl);
    wrong.password = 'wrong';
    await expect(start(wrong.href)).rejects.toThrow(
      'DATABASE_URL does not fit: password authentication failed for user "svc_billing"',
    );
    await database.drop();
  });

  it('does not start on a restored dump before the server’s transactions have passed its numbers', async () => {
    const database = await createTestDatabase();
    const owner = new Client({ connectionString: database.adminUrl });
    await owner.connect();
    try {
      // Transactions count for the whole server, and other specs make thousands in a moment.
      await owner.query(`
        UPDATE billing.projection SET next_txid = (pg_current_xact_id()::text::bigint + 20000)::text::xid8
        WHERE name = 'statement'`);
      await expect(start(database.billingUrl)).rejects.toThrow('the database is a restored dump');
      await owner.query(recipe());
      const app = await start(database.billingUrl);
      await app.close();
    } finally {
      await owner.end();
      await database.drop();
    }
  });
});
