import { createLogger, createMetricsRegistry } from '@svc/observability';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { Client } from 'pg';
import {
  addWallet,
  admission,
  charge,
  lapse,
  newHoldId,
  startTestLedger,
  untilReadable,
} from '../ledger/ledger.for-spec';
import type { TestLedger, TestWallet } from '../ledger/ledger.for-spec';
import { TrialBalanceStore } from '../ledger/trial-balance.store';
import { ProjectionMetrics } from './projection.metrics';
import { ProjectionService } from './projection.service';
import { ProjectionStore } from './projection.store';

let books: TestLedger;
let clients: PrismaClient[];

beforeEach(async () => {
  books = await startTestLedger();
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.$disconnect()));
  await books.close();
});

function connect(): PrismaClient {
  const client = createPrismaClient(books.database.billingUrl);
  clients.push(client);
  return client;
}

/** As another instance of billing would run it. */
function instance(): ProjectionService {
  const metrics = new ProjectionMetrics(createMetricsRegistry('test'));
  return new ProjectionService(new ProjectionStore(connect()), metrics, createLogger('test', 'silent'));
}

async function served(wallet: TestWallet, cost: number): Promise<string> {
  const operation = admission(wallet, BigInt(cost + 1));
  await books.ledger.admit(operation);
  const { holdId } = operation;
  await books.ledger.resolve({ type: 'post', wallet: wallet.wallet, holdId, charge: charge(cost) });
  return holdId;
}

const abandon = ({ wallet }: TestWallet, holdId: string) =>
  books.ledger.resolve({ type: 'abandon', wallet, holdId });

interface Sums {
  records: string;
  lines: string;
  owed: string;
  receipts: string;
  hours: string;
  days: string;
  charged: string;
  twice: string;
}

async function sums(): Promise<Sums> {
  const [row] = await books.sql<Sums>(`
    SELECT (SELECT count(*) FROM billing.usage_record)::text AS records,
           (SELECT count(*) FROM billing.usage_line)::text AS lines,
           (SELECT sum(posted - credited) FROM billing.wallet)::text AS owed,
           (SELECT sum(amount) FROM billing.receipt)::text AS receipts,
           (SELECT sum(cost) FROM billing.usage_hour)::text AS hours,
           (SELECT sum(cost) FROM billing.usage_day)::text AS days,
           (SELECT sum(posted) FROM billing.wallet)::text AS charged,
           (SELECT count(*) - count(DISTINCT (wallet, receipt_id, kind)) FROM billing.receipt)::text AS twice`);
  if (!row) throw new Error('no sums');
  return row;
}

describe('the projections', () => {
  it('read each record once, by two instances at a time and under way', async () => {
    const wallets = await Promise.all([1, 2, 3].map(() => addWallet(books, 10n ** 9n)));
    const instances = [instance(), instance()];
    let isOver = false;
    const projecting = instances.map(async (each) => {
      while (!isOver) await Promise.all([each.project('receipts'), each.project('statements')]);
    });
    for (let round = 0; round < 30; round++) {
      await Promise.all(
        wallets.map(async (wallet, index) => {
          const holds = await Promise.all([1, 2, 3].map((nth) => served(wallet, nth * (round + 1) + index)));
          if (round % 3 === index && holds[0]) await abandon(wallet, holds[0]);
        }),
      );
    }
    isOver = true;
    await Promise.all(projecting);
    await untilReadable(books);
    await Promise.all(instances.flatMap((each) => [each.project('receipts'), each.project('statements')]));
    const { records, lines, owed, receipts, hours, days, charged, twice } = await sums();
    expect(records).toBe('270');
    expect([lines, receipts, hours, days, twice]).toEqual([records, owed, charged, charged, '0']);
  });

  it('wait for a commit that began before what was read, and lose nothing of it', async () => {
    const wallet = await addWallet(books, 10n ** 9n);
    const projection = instance();
    const slow = new Client({ connectionString: books.database.adminUrl });
    await slow.connect();
    await slow.query('BEGIN');
    const late = newHoldId();
    await slow.query(
      `INSERT INTO billing.usage_record
         (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
          completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late)
       VALUES ($1, $2, $3, 'svc/demo@1', 'o', 'p', 0, 1000000, 0, 5, 'provider', 1, 'stop', 9, 5, 4, 0, false)`,
      [wallet.wallet, late, wallet.keyId],
    );
    const after = await served(wallet, 7);
    const receiptIds = async () => {
      await projection.project('receipts');
      const rows = await books.sql<{ receipt_id: string }>('SELECT receipt_id FROM billing.receipt');
      return rows.map(({ receipt_id }) => receipt_id).sort();
    };
    expect(await receiptIds()).toEqual([]);
    await slow.query('COMMIT');
    await slow.end();
    await untilReadable(books);
    expect(await receiptIds()).toEqual([late, after].sort());
  });

  it('make no receipt of a late post, but a line; and a refund’s after its charge’s', async () => {
    const wallet = await addWallet(books, 10n ** 9n);
    const operation = admission(wallet, 100n);
    await books.ledger.admit(operation);
    await lapse(books, [operation.holdId]);
    const hold = { wallet: wallet.wallet, holdId: operation.holdId };
    await books.ledger.resolve({ type: 'expire', ...hold });
    await books.ledger.resolve({ type: 'post', ...hold, charge: charge(40) });
    const refunded = await served(wallet, 50);
    await abandon(wallet, refunded);
    const store = new ProjectionStore(connect());
    await untilReadable(books);
    // One record a call: the credit waits until there is no usage left.
    const seen: string[] = [];
    while ((await store.run('receipts', 1)) > 0) {
      const rows = await books.sql<{ kind: string }>('SELECT kind FROM billing.receipt ORDER BY amount DESC');
      seen.push(rows.map(({ kind }) => kind).join());
    }
    expect(seen.at(-1)).toBe('usage,refund');
    expect(seen).not.toContain('refund');
    await instance().project('statements');
    // One more of the expired hold: its client was told of a failure.
    expect(await sums()).toMatchObject({ lines: '3', hours: '50', owed: '0', receipts: '0' });
  });

  it('read no more than a piece at a time, however much waits in a table that nobody has analysed', async () => {
    const wallet = await addWallet(books, 10n ** 9n);
    const owner = new Client({ connectionString: books.database.adminUrl });
    await owner.connect();
    try {
      await owner.query('ALTER TABLE billing.usage_record SET (autovacuum_enabled = false)');
      await owner.query('SET synchronous_commit = off');
      await owner.query(`
        DO $$ BEGIN FOR nth IN 1..2000 LOOP
          INSERT INTO billing.usage_record
            (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok,
             prompt_tokens, completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share,
             platform_loss, late)
          VALUES ('${wallet.wallet}', 'req_' || nth, '${wallet.keyId}', 'svc/demo@1', 'o', 'p', 0, 1000000, 0, 5,
                  'provider', 1, 'stop', 9, 5, 4, 0, false);
          COMMIT;
        END LOOP; END $$`);
      await untilReadable(books);
      const entriesRead = async () => {
        await owner.query('SELECT pg_stat_force_next_flush()');
        const { rows } = await owner.query<{ read: number }>(
          `SELECT idx_tup_read::integer AS read FROM pg_stat_user_indexes WHERE indexrelname = 'usage_record_txid'`,
        );
        return rows[0]?.read ?? NaN;
      };
      const before = await entriesRead();
      for (const follower of ['receipts', 'statements']) {
        const { rows } = await owner.query<{ read: number }>(
          `SELECT billing.project_${follower}(10) AS read`,
        );
        expect(rows).toEqual([{ read: 10 }]);
      }
      await owner.query('SELECT * FROM billing.projection_lag(10)');
      // Each looks for the end of its piece, and then reads it.
      expect((await entriesRead()) - before).toBeLessThan(100);
    } finally {
      await owner.end();
    }
  });

  it('say how far they are behind', async () => {
    const wallet = await addWallet(books, 10n ** 9n);
    const store = new ProjectionStore(connect());
    await abandon(wallet, await served(wallet, 5));
    const lag = async () => Object.fromEntries((await store.lag()).map(({ name, rows }) => [name, rows]));
    expect(await lag()).toEqual({ receipts: 2, statements: 1 });
    const projection = instance();
    await untilReadable(books);
    await projection.tick();
    expect(await lag()).toEqual({ receipts: 0, statements: 0 });
    expect((await store.lag()).map(({ seconds }) => seconds)).toEqual([0, 0]);
  });

  it('keep sums that wallets agree with, read or not read yet', async () => {
    const wallet = await addWallet(books, 10n ** 9n);
    const balance = new TrialBalanceStore(connect());
    await abandon(wallet, await served(wallet, 11));
    expect(await balance.differences()).toEqual({ charged: 0n, credited: 0n });
    await instance().project('receipts');
    await served(wallet, 13);
    expect(await balance.differences()).toEqual({ charged: 0n, credited: 0n });
    await books.sql('UPDATE billing.wallet SET posted = posted + 3, credited = credited + 2');
    expect(await balance.differences()).toEqual({ charged: 3n, credited: 2n });
  });
});
