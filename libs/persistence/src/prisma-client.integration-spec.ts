import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import type { PrismaClient } from './generated/client';
import { createPrismaClient } from './prisma-client';

let database: TestDatabase;
let prisma: PrismaClient;

beforeAll(async () => {
  database = await createTestDatabase();
  prisma = createPrismaClient(database.billingUrl, { maxConnections: 1 });
  // Its only connection is there, before the clock is ours.
  await prisma.$queryRaw`SELECT 1`;
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.drop();
});
// Timers alone: what the database says comes as ever.
beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

describe('a transaction', () => {
  it('stands for as long as a machine may stand still', async () => {
    const answer = prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      jest.advanceTimersByTime(25_000);
      return tx.$queryRaw`SELECT 2 AS answer`;
    });
    expect(await answer).toEqual([{ answer: 2 }]);
  });

  it('ends when its work hangs', async () => {
    const hanging = prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      jest.advanceTimersByTime(31_000);
      await tx.$queryRaw`SELECT 2`;
    });
    await expect(hanging).rejects.toMatchObject({ code: 'P2028' });
  });

  it('waits for a connection for as long as the pool does', async () => {
    let waiting: Promise<unknown> | undefined;
    await prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      waiting = prisma.$transaction((next) => next.$queryRaw`SELECT 3 AS answer`);
      // Asks for a connection only when it has its turn.
      await tx.$queryRaw`SELECT 1`;
      jest.advanceTimersByTime(4_000);
      await tx.$queryRaw`SELECT 1`;
    });
    expect(await waiting).toEqual([{ answer: 3 }]);
  });
});
