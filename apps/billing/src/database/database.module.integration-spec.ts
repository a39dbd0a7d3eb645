import { NestFactory } from '@nestjs/core';
import { createLogger } from '@svc/observability';
import { createTestDatabase } from '@svc/testing';
import { BillingConfig } from '../billing.config';
import { DatabaseModule } from './database.module';

describe('the database module', () => {
  it('does not start on a database that does not let the role in', async () => {
    const database = await createTestDatabase();
    const wrong = new URL(database.billingUrl);
    wrong.password = 'wrong';
    const config = Object.assign(new BillingConfig(), { databaseUrl: wrong.href });
    const module = DatabaseModule.forService(config, createLogger('billing', 'silent'));
    const starting = NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    await expect(starting).rejects.toThrow(
      'DATABASE_URL does not fit: password authentication failed for user "svc_billing"',
    );
    await database.drop();
  });
});
