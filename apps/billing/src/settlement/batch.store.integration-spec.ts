import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { Rests } from '../database/rests';
import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { batchOf, dueOf } from './batch';
import type { Candidate } from './batch';
import { BatchStore } from './batch.store';
import type { TransactionStore } from './signer/transaction.store';

/** A wallet that was charged 10 and can pay 1000, unless told otherwise. */
interface Case {
  readonly posted?: number;
  readonly credited?: number;
  readonly settled?: number;
  readonly head?: number;
  readonly safe?: number;
  /** Since when its one receipt waits; none does unless told. */
  readonly waitsSeconds?: number;
  /** Its last line: 10, the first time, just now, when it could pay 1000. */
  readonly due?: { cumulative?: number; means?: number; tries?: number; agoSeconds?: number };
}

const TERMS = {
  intervalMs: 60_000,
  leastFresh: 10n,
  longestWaitMs: 604_800_000,
  urgentFrom: 100n,
};
const word = (number: number) => `0x${number.toString(16).padStart(64, 'b')}`;

let books: TestLedger;
let prisma: PrismaClient;
let batches: BatchStore;
let count = 0;

beforeAll(async () => {
  books = await startTestLedger();
  prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
  const transactions = { add: () => Promise.resolve() } as unknown as TransactionStore;
  batches = new BatchStore(prisma, transactions, new Rests());
});
afterAll(async () => {
  await prisma.$disconnect();
  await books.close();
});

/** @returns its address */
async function add({ posted = 10, credited = 0, settled = 0, head = 1000, safe = 1000, ...more }: Case) {
  const wallet = `0x${(++count).toString(16).padStart(40, 'c')}`;
  const { cumulative = 10, means = 1000, tries = 0, agoSeconds = 0 } = more.due ?? {};
  const ago = (seconds: number) => `now() - ${seconds} * interval '1 second'`;
  const due = `
    INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount, state, created_at)
    VALUES ('${word(count)}', '${word(count)}', 1, 1, 10, 'settled', ${ago(agoSeconds)});
    INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means, tries)
    VALUES ('${wallet}', 1, '${word(count)}', 0, 0, ${cumulative}, '${word(count)}', ${means}, ${tries});`;
  const receipt = `
    INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at)
    VALUES ('${wallet}', 'req_1', 'usage', 10, ${ago(more.waitsSeconds ?? 0)});`;
  await books.sql(`
    BEGIN;
    SET LOCAL session_replication_role = replica;
    INSERT INTO billing.wallet (wallet, limit_head, limit_safe, posted, credited, settled_safe)
    VALUES ('${wallet}', ${head}, ${safe}, ${posted}, ${credited}, ${settled});
    ${more.due ? due : ''}
    ${more.waitsSeconds === undefined ? '' : receipt}
    COMMIT`);
  return wallet;
}

async function candidateOf(given: Case): Promise<Candidate | undefined> {
  const wallet = await add(given);
  return (await batches.candidates({ most: 1_000, ...TERMS })).find(
    (candidate) => candidate.wallet === wallet,
  );
}

describe('whom a batch asks', () => {
  it('takes turns between those that owe most and those that were not asked for longest', async () => {
    const debts = [
      { posted: 50, waitsSeconds: 1 },
      { posted: 40, waitsSeconds: 2 },
      { posted: 30, waitsSeconds: 3 },
      // Its receipt waits for longest, and it was asked before that one could be.
      { posted: 20, waitsSeconds: 9, due: { agoSeconds: 0 } },
      { posted: 10, waitsSeconds: 4 },
    ];
    for (const debt of debts) await add(debt);
    const owed = (await batches.candidates({ most: 4, ...TERMS })).map((candidate) => Number(candidate.owed));
    expect(owed).toEqual([50, 10, 40, 30]);
  });

  it.each<[string, Case, Partial<Candidate>]>([
    ['has a receipt', { waitsSeconds: 0 }, { seq: 0, cumulative: 0n, fresh: 10n, owed: 10n, tries: 0 }],
    [
      'has another, all asked for before being paid, however often that took',
      { posted: 25, settled: 10, waitsSeconds: 0, due: { tries: 2 } },
      { seq: 1, cumulative: 10n, fresh: 15n, owed: 25n, tries: 0 },
    ],
    ['has little, and has waited for long enough', { posted: 9, waitsSeconds: 604_801 }, { fresh: 9n }],
    ['has little, of a time that is still to come', { posted: 9, waitsSeconds: -1_000_000 }, { fresh: 9n }],
    [
      'has little, and owes very much',
      { posted: 101, waitsSeconds: 0, due: { cumulative: 100, tries: 3 } },
      { fresh: 1n, tries: 4 },
    ],
    [
      'has little, and could not pay before',
      { posted: 15, waitsSeconds: 0, due: {} },
      { fresh: 5n, tries: 1 },
    ],
    ['could not pay a first time', { due: {} }, { fresh: 0n, means: 1000n, tries: 1 }],
    ['could not pay a third time', { due: { tries: 2 } }, { tries: 3 }],
    ['can pay more than then', { due: { tries: 3, means: 999 } }, { tries: 4 }],
    ['could not for so long, twice as long each time', { due: { tries: 3, agoSeconds: 485 } }, { tries: 4 }],
    ['could not for an hour, however often', { due: { tries: 2_000, agoSeconds: 3_605 } }, { tries: 2_001 }],
    [
      'could not, by a clock that was set back since',
      { due: { tries: 3, agoSeconds: -86_400 } },
      { tries: 4 },
    ],
    [
      'was given back a part of it',
      { credited: 4, waitsSeconds: 0, due: {} },
      { fresh: 0n, owed: 6n, cumulative: 10n },
    ],
  ])('is who %s', async (_, given, expected) => {
    expect(await candidateOf(given)).toMatchObject(expected);
  });

  it.each<[string, Case]>([
    ['has no receipt yet', {}],
    ['has too little to be asked for', { posted: 9, waitsSeconds: 604_000 }],
    [
      'has too little since it was asked, and paid that',
      { posted: 19, settled: 10, waitsSeconds: 0, due: { agoSeconds: 604_801 } },
    ],
    [
      'has too little, and was asked less than a week ago, whatever waits from before',
      { posted: 11, settled: 10, waitsSeconds: 700_000, due: { agoSeconds: 604_000 } },
    ],
    ['was given all back', { credited: 10, waitsSeconds: 0 }],
    ['was given back all that it was asked for', { credited: 10, due: {} }],
    ['paid what it was asked for, and has no receipt of the rest yet', { posted: 15, settled: 10, due: {} }],
    ['can pay nothing by the head', { head: 0, due: {} }],
    ['can pay nothing by the safe depth', { safe: 0, due: {} }],
    ['was asked often, and can pay no more than then', { due: { tries: 3 } }],
    ['was asked less long ago than it waits by now', { due: { tries: 3, agoSeconds: 400 } }],
  ])('is not who %s', async (_, given) => {
    expect(await candidateOf(given)).toBeUndefined();
  });

  it('is urgent when somebody owes as much, and was not asked for all of it', async () => {
    await add({ posted: 5_000, credited: 1_000, settled: 1_000, due: { cumulative: 4_000 } });
    expect(await batches.anyoneOwes(3_000n)).toBe(false);
    await add({ posted: 5_000, credited: 1_000, settled: 1_000, due: { cumulative: 3_999 } });
    expect(await batches.anyoneOwes(3_000n)).toBe(true);
    expect(await batches.anyoneOwes(3_001n)).toBe(false);
  });
});

describe('a batch', () => {
  const receipt = { id: 'req_1', kind: 'usage', amount: 10n, parts: 0 } as const;
  const part = { of: receipt, number: 1, amount: 4n };

  it.each([
    ['a receipt that another has by now', {}, /belong to another batch/],
    ['a part of what another took one of', { part: { ...part, number: 2 } }, /cannot be split/],
    [
      'a part of what is less by now',
      { part: { ...part, of: { ...receipt, amount: 11n } } },
      /cannot be split/,
    ],
  ])('is not stored with %s', async (_, planned, message) => {
    const candidate = await candidateOf({ waitsSeconds: 0 });
    const leaves = [{ ...receipt, leaf: word(0) }];
    const due = candidate && dueOf(candidate, { leaves, more: false, ...planned });
    if (!due) throw new Error('nothing to ask for');
    await books.sql('UPDATE billing.receipt SET batch_id = $2 WHERE wallet = $1 AND $3', [
      due.wallet,
      word(count),
      !due.part,
    ]);
    const batch = batchOf(word(++count), [due]);
    await expect(batches.add(batch, undefined as never)).rejects.toThrow(message);
    expect(await batches.dues(batch.batchId)).toEqual([]);
  });
});

it('the last batch’s age passes over those of a clock that was set back since', async () => {
  await books.sql(`
    BEGIN;
    SET LOCAL session_replication_role = replica;
    DELETE FROM billing.settlement_due;
    DELETE FROM billing.settlement_batch;
    COMMIT`);
  await add({ due: { agoSeconds: -86_400 } });
  expect(await batches.lastAgeMs()).toBeUndefined();
  await add({ due: { agoSeconds: 90 } });
  expect(await batches.lastAgeMs()).toBeGreaterThanOrEqual(90_000);
});
