import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { lockCatalogue } from '../database/locks';
import { CertificationRunStore } from './certification-run.store';
import type { CertificationSettings } from './certification.settings';

/** A run of an offer and a provider of its own. */
interface Seed {
  id: string;
  /** What is certified anew, or watched, is a version that serves. */
  is?: 'canary' | 'renewal' | 'new';
  /** SQL: whose it is, and until when. */
  lease?: string;
}

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

function storeOf(concurrency = 4): CertificationRunStore {
  const settings = { runner: 'spec', leaseMs: 60_000, concurrency } as CertificationSettings;
  return new CertificationRunStore(prisma, settings);
}

/** Open runs in the order in which they were asked for, and no others. */
async function openRuns(...seeds: Seed[]): Promise<void> {
  const owner = new Client({ connectionString: database.adminUrl });
  await owner.connect();
  await owner.query(`
    BEGIN; SET LOCAL session_replication_role = replica;
    TRUNCATE catalog.certifications, catalog.offer_versions, catalog.offers, catalog.providers CASCADE`);
  for (const [index, { id, is = 'new', lease = 'NULL, NULL' }] of seeds.entries()) {
    const wallet = `'0x' || lpad('${index}', 40, '0')`;
    const live = is === 'new' ? 'NULL, NULL, NULL' : "1, 'former', now()";
    await owner.query(`
      INSERT INTO catalog.providers (wallet, name) VALUES (${wallet}, 'p');
      INSERT INTO catalog.offers (id, provider_wallet, bundle_id, profile_id, version, live_version, certification_id, certified_until)
      VALUES ('${id}', ${wallet}, 'b', 'p', 1, ${live});
      INSERT INTO catalog.offer_versions VALUES ('${id}', 1, ${wallet}, 'https://${id}.example/v1', 'model', 1, 1, 16, 131072,
        5000, 5000, now() + interval '1 day', NULL, 1, '0x' || repeat('0', 64), '0x');
      INSERT INTO catalog.certifications (id, offer_id, version, kind, status, metering_version, requested_at, runner, leased_until)
      VALUES ('${id}', '${id}', 1, '${is === 'canary' ? is : 'full'}', '${lease.startsWith('NULL, NULL') ? 'queued' : 'running'}', 1,
        now() - interval '1 minute' + ${index} * interval '1 second', ${lease})`);
  }
  await owner.query('COMMIT');
  await owner.end();
}

describe('whoever claims a run', () => {
  it('waits for nobody who defines models or makes offers', async () => {
    await openRuns();
    await prisma.$transaction(async (tx) => {
      await lockCatalogue(tx, 'exclusive');
      expect(await storeOf().claim([])).toBeUndefined();
    });
  });

  it.each([
    ['has a lease on', `'another', now() + interval '10 seconds'`, false],
    ['put back a moment ago', `NULL, now() + interval '1 minute'`, false],
    ['had a lease on, until a while ago', `'another', now() - interval '1 second'`, true],
    ['had a lease on before the clock was set back', `'another', now() + interval '1 day'`, true],
    ['put back before the clock was set back', `NULL, now() + interval '1 day'`, true],
  ])('takes what somebody %s: %s, %s', async (_, lease, taken) => {
    await openRuns({ id: 'cert', lease });
    // Not again what it runs itself, whoever may have it.
    expect(await storeOf().claim(['cert', 'another'])).toBeUndefined();
    expect(await storeOf().claim(['another'])).toBe(taken ? 'cert' : undefined);
  });

  it.each(['canary', 'renewal', 'new'] as const)('leaves one of its places to others than %s', async (is) => {
    await openRuns(...['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, is })));
    const taken = [];
    for (let place = 0; place < 4; place++) taken.push(await storeOf().claim([]));
    expect(taken).toEqual(['a', 'b', 'c', undefined]);
  });

  it('takes canaries, renewals and what is new by turns, however many of each have waited for longer', async () => {
    const many = (is: Seed['is']) => ['1', '2', '3', '4'].map((digit) => ({ id: `${is}-${digit}`, is }));
    await openRuns(...many('new'), ...many('canary'), ...many('renewal'));
    const taken = [];
    for (let place = 0; place < 6; place++) taken.push(await storeOf(6).claim([]));
    expect(taken).toEqual(['canary-1', 'renewal-1', 'new-1', 'canary-2', 'renewal-2', 'new-2']);
  });
});
