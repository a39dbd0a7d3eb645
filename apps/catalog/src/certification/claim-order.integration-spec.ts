import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
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
      expect(await store.claim()).toBeUndefined();
    });
  });
});
