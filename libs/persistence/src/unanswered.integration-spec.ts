import { TcpLink, createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { databaseAway } from './database-away';
import type { PrismaClient } from './generated/client';
import { createPrismaClient } from './prisma-client';

let database: TestDatabase;
let link: TcpLink;
let prisma: PrismaClient;

beforeEach(async () => {
  database = await createTestDatabase();
  link = await TcpLink.open(database.billingUrl);
  prisma = createPrismaClient(link.url, { maxConnections: 1 });
  // Its only connection is there, before the clock is ours.
  await prisma.$queryRaw`SELECT 1`;
  // Timers alone: what the database says comes as ever.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(async () => {
  jest.useRealTimers();
  // First, so that nothing waits any more.
  await link.close();
  await prisma.$disconnect();
  await database.drop();
});

/** Of what waits for an answer that never comes, as time goes by. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  let failure: unknown;
  work.catch((error: unknown) => (failure = error));
  for (let second = 0; second < 20; second++) {
    await turns();
    jest.advanceTimersByTime(1_000);
  }
  await turns();
  return failure;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a network that swallows what the database says', () => {
  const answer = (client = prisma) => client.$queryRaw`SELECT 1 AS answer`;

  it('fails a statement, and the next goes over another connection', async () => {
    link.holdBack();
    const failure = await failureOf(answer());
    expect(databaseAway(failure)).toMatchObject({ payload: { code: 'no_capacity' } });
    expect(await answer()).toEqual([{ answer: 1 }]);
  });

  it('fails a transaction that cannot begin', async () => {
    link.holdBack();
    const failure = await failureOf(prisma.$transaction(async (tx) => tx.$queryRaw`SELECT 1`));
    expect(databaseAway(failure)).toMatchObject({ payload: { code: 'no_capacity' } });
    expect(await answer()).toEqual([{ answer: 1 }]);
  });

  it('fails a transaction, and nothing comes after it over its connection', async () => {
    let transaction: Promise<unknown> = Promise.resolve();
    // What the database still says takes the time it takes.
    await new Promise<void>((heldBack) => {
      transaction = prisma.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1`;
        link.holdBack();
        heldBack();
        await tx.$queryRaw`SELECT 2`;
      });
    });
    const failure = await failureOf(transaction);
    expect(databaseAway(failure)).toMatchObject({ payload: { code: 'no_capacity' } });
    expect(await answer()).toEqual([{ answer: 1 }]);
  });
});
