import { createPrismaClient, Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { holding, waitingForLocks } from '../database/locks.for-spec';
import { pagesRead } from '../database/rows-read.for-spec';
import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { OutcomeStore } from './outcome.store';

let books: TestLedger;
let plans: string[];

beforeAll(async () => {
  books = await startTestLedger();
  await books.sql(`
    INSERT INTO billing.wallet (wallet, limit_head, limit_safe, posted)
    SELECT '0x' || lpad(to_hex(n), 40, '0'), 1000, 1000, 10 FROM generate_series(1, 20000) n`);
  await books.sql('UPDATE billing.wallet SET pull_failed_at = now() WHERE wallet < $1', [
    `0x${'0'.repeat(38)}10`,
  ]);
  await books.sql('INSERT INTO billing.short_wallet SELECT wallet FROM billing.wallet LIMIT 20');
  await books.sql('ANALYZE billing.wallet, billing.short_wallet');
});
afterAll(() => books.close());

/** Asks how a statement would be run instead of running it. */
const explained = {
  $queryRaw: async (strings: TemplateStringsArray, ...values: unknown[]): Promise<unknown[]> => {
    const { text, values: parameters } = Prisma.sql(strings, ...values);
    const lines = await books.sql<Record<string, string>>(`EXPLAIN ${text}`, parameters);
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
    return [];
  },
} as unknown as PrismaClient;

describe('judging', () => {
  it.each(['suspendUnpaid', 'liftPaid'] as const)(
    'looks at nobody who owes nothing of a settled due: %s',
    async (step) => {
      plans = [];
      await new OutcomeStore(explained)[step]();
      expect(plans).toHaveLength(1);
      expect(plans[0]).toContain('short_wallet');
      expect(plans[0]).not.toMatch(/Seq Scan on wallet/);
    },
  );
});

describe('who did not pay 10 of a batch that the safe depth shows since block 9', () => {
  type Event = readonly [kind: 'pulled' | 'pull_failed', whose: 'own' | 'other', block: number];
  interface Case {
    readonly head?: number;
    readonly safe?: number;
    readonly settled?: number;
    readonly state?: 'mined' | 'settled';
    readonly excused?: boolean;
    readonly since?: string;
    readonly events?: readonly Event[];
  }
  const failed: Event = ['pull_failed', 'own', 5];
  let prisma: PrismaClient;
  let count = 0;

  beforeAll(() => {
    prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
  });
  afterAll(() => prisma.$disconnect());

  /** @returns the wallet */
  async function owe({ head = 1000, safe = 1000, settled = 0, ...batch }: Case): Promise<string> {
    const word = `0x${(++count).toString(16).padStart(64, 'b')}`;
    const [wallet = '', other] = ['c', 'd'].map((digit) => `0x${count.toString(16).padStart(40, digit)}`);
    const { state = 'settled', excused = false, since = null, events = [] } = batch;
    const rows = events.map(([kind, whose, block], index) => {
      const hash = `0x${block.toString(16).padStart(64, '0')}`;
      return `('${hash}', ${1000 * count + index}, ${block}, '${hash}', '${kind}', '${word}', '${whose === 'own' ? wallet : other}', 1)`;
    });
    await books.sql(`
      BEGIN;
      SET LOCAL session_replication_role = replica;
      INSERT INTO billing.wallet (wallet, limit_head, limit_safe, posted, settled_safe, pull_failed_at)
      VALUES ('${wallet}', ${head}, ${safe}, 10, ${settled}, ${since});
      INSERT INTO billing.short_wallet VALUES ('${wallet}');
      INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount, state, settled_block, excused)
      VALUES ('${word}', '${word}', 1, 1, 10, '${state}', 9, ${excused});
      INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
      VALUES ('${wallet}', 1, '${word}', 0, 0, 10, '${word}', 10);
      ${rows.length > 0 ? `INSERT INTO billing.settlement_event (block_hash, log_index, block_number, tx_hash, kind, batch_id, wallet, amount) VALUES ${rows.join()};` : ''}
      COMMIT`);
    return wallet;
  }

  async function isSuspended(given: Case): Promise<boolean> {
    const wallet = await owe(given);
    return (await new OutcomeStore(prisma).suspendUnpaid()).includes(wallet);
  }

  it.each<[string, Case]>([
    ['had less', { safe: 9 }],
    ['was refused by the token', { events: [failed] }],
    ['was, though others could be pulled from later', { events: [failed, ['pulled', 'other', 7]] }],
    ['was, though others are refused since', { events: [failed, ['pull_failed', 'other', 12]] }],
  ])('is suspended who %s', async (_, given) => {
    expect(await isSuspended(given)).toBe(true);
  });

  it.each<[string, Case]>([
    ['had just as much', { safe: 10 }],
    ['had more, and the head shows less', { head: 9 }],
    ['has paid since', { settled: 10, events: [failed] }],
    ['is suspended', { since: 'now()', events: [failed] }],
    ['may be asked by it again', { state: 'mined', safe: 9, events: [failed] }],
    ['was refused with everybody', { excused: true, events: [failed] }],
    [
      'paid a part, when others were refused',
      {
        events: [
          ['pulled', 'own', 5],
          ['pull_failed', 'other', 5],
        ],
      },
    ],
    [
      'was refused in a block before that of the last refusal',
      { events: [failed, ['pull_failed', 'other', 6]] },
    ],
  ])('is not who %s', async (_, given) => {
    expect(await isSuspended(given)).toBe(false);
  });

  it.each<[string, Case, credited: number]>([
    ['all of it', { events: [failed] }, 10],
    ['so much that it has the rest', { safe: 4 }, 6],
  ])('is not who was credited %s while its lock was waited for', async (_, given, credited) => {
    const wallet = await owe(given);
    const creditor = await holding(
      books.database,
      'UPDATE billing.wallet SET credited = $2 WHERE wallet = $1',
      [wallet, credited],
    );
    const judged = new OutcomeStore(prisma).suspendUnpaid();
    await waitingForLocks(books.database, 1);
    await creditor.done();
    expect(await judged).not.toContain(wallet);
  });
});

describe('what became of a batch', () => {
  const hash = (digit: number) => `0x${String(digit).repeat(64)}`;
  const BATCH = hash(0);
  let prisma: PrismaClient;
  let outcomes: OutcomeStore;

  beforeAll(async () => {
    prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
    outcomes = new OutcomeStore(prisma);
    await books.sql(`
      BEGIN;
      SET LOCAL session_replication_role = replica;
      INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount, state)
      VALUES ('${BATCH}', '${BATCH}', 1, 1, 10, 'mined');
      INSERT INTO billing.settlement_event (block_hash, log_index, block_number, tx_hash, kind, batch_id, amount)
      SELECT '0x' || repeat(block::text, 64), nth, block, '0x' || repeat(nth::text, 64), kind, '${BATCH}', 1
      FROM (VALUES (1, 8, 'batch_settled'), (3, 5, 'batch_settled'), (2, 5, 'batch_settled'),
                   (4, 5, 'pull_failed'), (5, 6, 'pull_failed'), (6, 9, 'pull_failed')) AS e (nth, block, kind);
      INSERT INTO billing.chain_position (head_number, head_hash, safe_number, safe_hash)
      VALUES (9, '${hash(9)}', 8, '${hash(8)}');
      COMMIT`);
  });
  afterAll(() => prisma.$disconnect());

  it('is told by the last pull that failed up to a block, and by the first transaction that did it', async () => {
    expect(await outcomes.failureBlock(BATCH, 8)).toBe(hash(6));
    expect(await outcomes.failureBlock(BATCH, 4)).toBeUndefined();
    expect(await outcomes.transactionOf(BATCH)).toBe(hash(2));
  });

  it('is written as of the safe block that wallets were read at, and of no other', async () => {
    const outcome = { excused: false, txHash: undefined, gasCost: undefined };
    expect(await outcomes.settled(BATCH, hash(7), outcome)).toBe(false);
    const batch = 'SELECT state::text, settled_block::int FROM billing.settlement_batch WHERE batch_id = $1';
    expect(await books.sql(batch, [BATCH])).toEqual([{ state: 'mined', settled_block: null }]);
    expect(await outcomes.settled(BATCH, hash(8), outcome)).toBe(true);
    expect(await books.sql(batch, [BATCH])).toEqual([{ state: 'settled', settled_block: 8 }]);
  });
});

describe.each(['nothing', 'of all events'])('judging, when the planner was told %s,', (told) => {
  const EVENTS = 100_000;
  const SHORT = 100;
  const word = (number: string) => `'0x' || lpad(to_hex(${number}), 64, '0')`;
  /** SQL for the address of the `nth` wallet, and for the number of its batch. */
  const WALLET = `'0x' || lpad(to_hex(nth), 40, '0')`;
  const BATCH = '1 + nth / 200';
  const ALL = `generate_series(1, ${EVENTS}) AS nth`;
  const NEWEST = `generate_series(${EVENTS - SHORT + 1}, ${EVENTS}) AS nth`;
  let many: TestLedger;
  let prisma: PrismaClient;

  beforeAll(async () => {
    many = await startTestLedger();
    await many.database.keepUnanalysed();
    // One connection, so that what it read can be asked for at once.
    prisma = createPrismaClient(many.database.billingUrl, { maxConnections: 1 });
    await many.sql(`
      BEGIN;
      SET LOCAL session_replication_role = replica;
      INSERT INTO billing.wallet (wallet, limit_head, limit_safe, posted) SELECT ${WALLET}, 1000, 1000, 10 FROM ${NEWEST};
      INSERT INTO billing.short_wallet SELECT ${WALLET} FROM ${NEWEST};
      INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount, state, settled_block)
      SELECT DISTINCT ON (1) ${word(BATCH)}, ${word(BATCH)}, 200, 200, 2000, 'settled'::billing.chain_job_state, 10 * (${BATCH}) + 9
      FROM ${ALL};
      INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
      SELECT ${WALLET}, 1, ${word(BATCH)}, nth % 200, 0, 10, ${word('1')}, 10 FROM ${NEWEST};
      INSERT INTO billing.settlement_event (block_hash, log_index, block_number, tx_hash, kind, batch_id, wallet, amount)
      SELECT ${word(BATCH)}, nth % 200, 10 * (${BATCH}), ${word(BATCH)},
             CASE WHEN nth > ${EVENTS - SHORT} THEN 'pull_failed' ELSE 'pulled' END, ${word(BATCH)}, ${WALLET}, 10
      FROM ${ALL};
      COMMIT`);
    if (told !== 'nothing') await many.sql('ANALYZE');
  });
  afterAll(async () => {
    await prisma.$disconnect();
    await many.close();
  });

  it('reads of each who did not pay the events of its batch alone', async () => {
    const [suspended, pages] = await pagesRead(prisma, () => new OutcomeStore(prisma).suspendUnpaid());
    expect(suspended).toHaveLength(SHORT);
    // Some 50 for each, its change included; the entries of all blocks up to one would be a hundred more.
    expect(pages).toBeLessThan(80 * SHORT);
  });
});
