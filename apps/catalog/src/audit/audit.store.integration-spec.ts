import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { AuditStore } from './audit.store';

let database: TestDatabase;
let prisma: PrismaClient;
let audit: AuditStore;

const write = (subject: string, reason?: string) =>
  prisma.$transaction((tx) => audit.write(tx, { actor: 'alice', action: 'offer.suspend', subject, reason }));

beforeAll(async () => {
  database = await createTestDatabase();
  prisma = createPrismaClient(database.catalogUrl);
  audit = new AuditStore(prisma);
});

afterAll(async () => {
  await prisma.$disconnect();
  await database.drop();
});

describe('AuditStore', () => {
  it('lists pages, the newest first, of one subject or of all', async () => {
    for (const [subject, reason] of [['a', 'one'], ['b'], ['a', 'two'], ['a', 'three']] as const) {
      await write(subject, reason);
    }
    const first = await audit.list({ subject: 'a', limit: 2 });
    expect(first.entries.map(({ reason }) => reason)).toEqual(['three', 'two']);
    expect(first.next).toBe(first.entries[1]?.id);
    const second = await audit.list({ subject: 'a', limit: 2, before: first.next ?? 0 });
    expect(second).toMatchObject({ entries: [{ reason: 'one', actor: 'alice' }], next: null });
    expect((await audit.list({ limit: 10 })).entries.map(({ subject }) => subject)).toEqual([
      'a',
      'a',
      'b',
      'a',
    ]);
    expect((await audit.list({ subject: 'b', limit: 1 })).entries[0]?.reason).toBeNull();
  });

  it('keeps nothing of a transaction that fails', async () => {
    const failing = prisma.$transaction(async (tx) => {
      await audit.write(tx, { actor: 'x', action: 'y', subject: 'z' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await audit.list({ subject: 'z', limit: 1 })).entries).toEqual([]);
  });

  it('can change and remove nothing', async () => {
    await expect(prisma.audit.deleteMany()).rejects.toThrow(/only ever added to|permission denied/);
    await expect(prisma.audit.updateMany({ data: { reason: 'other' } })).rejects.toThrow(
      /only ever added to|permission denied/,
    );
  });
});
