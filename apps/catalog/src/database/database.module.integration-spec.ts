import { NestFactory } from '@nestjs/core';
import { createLogger } from '@svc/observability';
import { createTestDatabase } from '@svc/testing';
import { CatalogConfig } from '../catalog.config';
import { DatabaseModule } from './database.module';

describe('the database module', () => {
  it('does not start on a database that does not let the role in', async () => {
    const database = await createTestDatabase();
    const wrong = new URL(database.catalogUrl);
    wrong.password = 'wrong';
    const config = Object.assign(new CatalogConfig(), { databaseUrl: wrong.href });
    const module = DatabaseModule.forService(config, createLogger('catalog', 'silent'));
    const starting = NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    await expect(starting).rejects.toThrow(
      'DATABASE_URL does not fit: password authentication failed for user "svc_catalog"',
    );
    await database.drop();
  });
});
