import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';

const BATCH = `0x${'b'.repeat(64)}`;
/** What a batch notes at a receipt that it collects. */
const COLLECTED = `batch_id = '${BATCH}', leaf = sha256('leaf')`;

let books: TestLedger;
let wallet: string;
let count = 0;

beforeAll(async () => {
  books = await startTestLedger();
});
afterAll(() => books.close());

/** A charge of 10, a refund of 8, a credit of 6, and a part of 2 that was split off another. */
beforeEach(async () => {
  wallet = `0x${(++count).toString(16).padStart(40, 'c')}`;
  await books.sql(
    `INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at, part_of) VALUES
       ($1, 'req_1', 'usage', 10, '2026-11-01', NULL), ($1, 'req_1', 'refund', -8, '2026-11-02', NULL),
       ($1, 'gift', 'credit', -6, '2026-11-03', NULL), ($1, 'sorry.1', 'credit', -2, '2026-11-04', 'sorry')`,
    [wallet],
  );
});

const change = (set: string, which: string) =>
  books.sql(`UPDATE billing.receipt SET ${set} WHERE wallet = $1 AND ${which}`, [wallet]);
const receipts = () =>
  books.sql(
    `SELECT receipt_id AS id, kind, amount::int, created_at::date::text AS made, batch_id, part_of, parts
     FROM billing.receipt WHERE wallet = $1 ORDER BY created_at, amount`,
    [wallet],
  );

describe('a receipt', () => {
  it.each([
    ['refund', `receipt_id = 'req_1' AND kind = 'refund'`, { id: 'req_1', made: '2026-11-02' }],
    ['credit', `receipt_id = 'gift'`, { id: 'gift', made: '2026-11-03' }],
  ])('of a %s is split into parts that add up to it', async (kind, which, { id, made }) => {
    await change('amount = amount + 3, parts = 1', which);
    await change('amount = amount + 2, parts = 2', which);
    const whole = kind === 'refund' ? -8 : -6;
    const common = { kind, made, batch_id: null };
    const split = (await receipts()).filter((row) => (row as { made: string }).made === made);
    expect(split).toHaveLength(3);
    expect(split).toEqual(
      expect.arrayContaining([
        { ...common, id, amount: whole + 5, part_of: null, parts: 2 },
        { ...common, id: `${id}.1`, amount: -3, part_of: id, parts: 0 },
        { ...common, id: `${id}.2`, amount: -2, part_of: id, parts: 0 },
      ]),
    );
  });

  it.each([
    ['a charge is split', `amount = amount - 3, parts = 1`, `kind = 'usage'`],
    ['a charge is changed', `amount = 9`, `kind = 'usage'`],
    ['what is given back is made more', `amount = -9, parts = 1`, `kind = 'refund'`],
    ['what is given back is made less, without a part', `amount = -7`, `kind = 'refund'`],
    ['it is split under a number that is not the next', `amount = -7, parts = 2`, `kind = 'refund'`],
    ['it is split where nothing is taken', `parts = 1`, `kind = 'refund'`],
    ['it is split until nothing is left', `amount = 0, parts = 1`, `kind = 'refund'`],
    [
      'it is split while a batch takes it',
      `amount = -7, parts = 1, batch_id = '${BATCH}'`,
      `kind = 'refund'`,
    ],
    ['a part is split', `amount = -1, parts = 1`, `part_of IS NOT NULL`],
    ['it is split and made a part', `amount = -7, parts = 1, part_of = 'x'`, `kind = 'refund'`],
    ['it is split under another id', `amount = -7, parts = 1, receipt_id = 'x'`, `kind = 'refund'`],
    ['it is split as another kind', `amount = -7, parts = 1, kind = 'credit'`, `kind = 'refund'`],
    ['it is split at another time', `amount = -7, parts = 1, created_at = now()`, `kind = 'refund'`],
    ['it is split for another wallet', `amount = -7, parts = 1, wallet = 'x'`, `kind = 'refund'`],
    ['it is given to another wallet', `wallet = 'x'`, `kind = 'usage'`],
    ['it is given another id', `receipt_id = 'x'`, `kind = 'usage'`],
    ['it is given another kind', `kind = 'credit'`, `kind = 'refund'`],
    ['it is dated otherwise', `created_at = now()`, `kind = 'usage'`],
    ['it is made a part', `part_of = 'x'`, `kind = 'refund'`],
  ])('never changes otherwise: not so that %s', async (_, set, which) => {
    const before = await receipts();
    await expect(change(set, which)).rejects.toThrow(/receipts never change/);
    expect(await receipts()).toEqual(before);
  });

  it.each([
    ['another', `batch_id = '0x${'c'.repeat(64)}'`],
    ['none', 'batch_id = NULL, leaf = NULL'],
    ['the same, under another leaf', `leaf = sha256('other')`],
  ])('is batched once: not taken from its batch for %s', async (_, set) => {
    await change(COLLECTED, `kind = 'usage'`);
    await expect(change(set, `kind = 'usage'`)).rejects.toThrow(/batched once/);
    expect((await receipts())[0]).toMatchObject({ id: 'req_1', kind: 'usage', batch_id: BATCH });
  });
});
