import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { lockCatalogue } from '../database/locks';
import { CertificationRunStore } from './certification-run.store';
import type { CertificationSettings } from './certification.settings';

let database: TestDatabase;
let prisma: PrismaClient;

beforeAll(async () => {
  database = await createTestDatabase();
  prisma = createPrismaClient(database.catalogUrl, { statementTimeoutMs: 10_000 });
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.drop();
});

describe('whoever claims a run', () => {
  it('waits for nobody who defines models or makes offers', async () => {
    const settings = { runner: 'spec', leaseMs: 1_000, concurrency: 3 } as CertificationSettings;
    const store = new CertificationRunStore(prisma, settings);
    await prisma.$transaction(async (tx) => {
      await lockCatalogue(tx, 'exclusive');
      expect(await store.claim([])).toBeUndefined();
    });
  });

  it.each([
    ['has a lease on', `'another', now() + interval '10 seconds'`, false],
    ['put back a moment ago', `NULL, now() + interval '1 minute'`, false],
    ['had a lease on, until a while ago', `'another', now() - interval '1 second'`, true],
    ['had a lease on before the clock was set back', `'another', now() + interval '1 day'`, true],
    ['put back before the clock was set back', `NULL, now() + interval '1 day'`, true],
  ])('takes what somebody %s: %s, %s', async (_, lease, taken) => {
    const owner = new Client({ connectionString: database.adminUrl });
    await owner.connect();
    await owner.query(`
      BEGIN; SET LOCAL session_replication_role = replica;
      TRUNCATE catalog.certifications, catalog.offer_versions, catalog.offers, catalog.providers CASCADE;
      INSERT INTO catalog.providers (wallet, name) VALUES ('0x' || lpad('1', 40, '0'), 'p');
      INSERT INTO catalog.offers (id, provider_wallet, bundle_id, profile_id, version) VALUES ('ofr', '0x' || lpad('1', 40, '0'), 'b', 'p', 1);
      INSERT INTO catalog.offer_versions VALUES ('ofr', 1, '0x' || lpad('1', 40, '0'), 'https://models.example/v1', 'model', 1, 1, 16, 131072,
        5000, 5000, now() + interval '1 day', NULL, 1, '0x' || repeat('0', 64), '0x');
      INSERT INTO catalog.certifications (id, offer_id, version, kind, status, metering_version, runner, leased_until)
      VALUES ('cert', 'ofr', 1, 'full', 'running', 1, ${lease});
      COMMIT`);
    await owner.end();
    const settings = { runner: 'spec', leaseMs: 1_000, concurrency: 3 } as CertificationSettings;
    const store = new CertificationRunStore(prisma, settings);
    // Not again what it runs itself, whoever may have it.
    expect(await store.claim(['cert', 'another'])).toBeUndefined();
    expect(await store.claim(['another'])).toBe(taken ? 'cert' : undefined);
  });
});
