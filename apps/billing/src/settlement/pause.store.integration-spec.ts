import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { PauseStore, SettlementPausedError } from './pause.store';

let books: TestLedger;
let prisma: PrismaClient;
let pauses: PauseStore;

beforeAll(async () => {
  books = await startTestLedger();
  prisma = createPrismaClient(books.database.billingUrl);
  pauses = new PauseStore(prisma);
});
afterAll(async () => {
  await prisma.$disconnect();
  await books.close();
});

const commit = () => prisma.$transaction((transaction) => pauses.requireNone(transaction));

describe('a pause', () => {
  it('that comes within a commit which requires that there is none waits until that is over', async () => {
    let paused: Promise<boolean> | undefined;
    await prisma.$transaction(async (transaction) => {
      await pauses.requireNone(transaction);
      paused = pauses.pause('the test says so', 'tester');
      await eventually(async () => (await books.database.waitingForLocks()) === 1);
      expect(await pauses.standing()).toEqual([]);
    });
    expect(await paused).toBe(true);
    await expect(commit()).rejects.toThrow(SettlementPausedError);
    await pauses.resume('the test says so', 'tester');
    await commit();
  });

  it('of each who made one stands until somebody has settlement go on, which ends all', async () => {
    const differences = [{ rule: 'the test has one', expected: '1', actual: '2' }];
    await pauses.pause('first', 'tester');
    await pauses.pause('second', 'another', differences);
    expect(await pauses.standing()).toMatchObject([
      { reason: 'first', actor: 'tester', differences: [] },
      { reason: 'second', actor: 'another', differences },
    ]);
    expect(await pauses.resume('looked at', 'tester')).toBe(true);
    expect(await pauses.standing()).toEqual([]);
  });
});
