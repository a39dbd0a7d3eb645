import { randomBytes } from 'node:crypto';
import type { ServedUsage } from '@svc/contracts';
import { MAX_BASE_UNITS } from '@svc/money';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import { createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Pool } from 'pg';
import { BillingConfig } from '../billing.config';
import { chargeOf } from '../hold/charge';
import { isLockTimeout } from './ledger-connection';
import { LedgerMetrics } from './ledger.metrics';
import { LedgerService } from './ledger.service';
import type { Admission, Charge } from './operation';

export const PROVIDER = `0x${'f'.repeat(40)}`;
export const SHARE_BPS = 9_000;

/** A ledger over a database of its own, and the database as its owner sees it. */
export interface TestLedger {
  readonly database: TestDatabase;
  readonly config: BillingConfig;
  readonly metrics: LedgerMetrics;
  readonly ledger: LedgerService;
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function startTestLedger(settings: Partial<BillingConfig> = {}): Promise<TestLedger> {
  const database = await createTestDatabase();
  const config = Object.assign(new BillingConfig(), {
    databaseUrl: database.billingUrl,
    unsettledCap: String(MAX_BASE_UNITS),
    ...settings,
  });
  const owner = new Pool({ connectionString: database.adminUrl, max: 4 });
  owner.on('error', () => undefined);
  const metrics = new LedgerMetrics(createMetricsRegistry('test'));
  const ledger = new LedgerService(config, createLogger('test', 'silent'), metrics);
  return {
    database,
    config,
    metrics,
    ledger,
    sql: async <Row>(text: string, values: unknown[] = []) => (await owner.query(text, values)).rows as Row[],
    close: async () => {
      await ledger.beforeApplicationShutdown();
      await owner.end();
      await database.drop();
    },
  };
}

export interface TestWallet {
  readonly wallet: string;
  readonly keyHash: string;
  readonly keyId: string;
}

/** A wallet with one key whose limit at both depths is `limit`. */
export async function addWallet({ sql }: TestLedger, limit: bigint): Promise<TestWallet> {
  const wallet = `0x${randomBytes(20).toString('hex')}`;
  await sql(`INSERT INTO billing.wallet (wallet, limit_head, limit_safe) VALUES ($1, $2, $2)`, [
    wallet,
    String(limit),
  ]);
  return addKey({ sql }, wallet);
}

export async function addKey({ sql }: Pick<TestLedger, 'sql'>, wallet: string): Promise<TestWallet> {
  const keyHash = randomBytes(32).toString('hex');
  const keyId = `key_${randomBytes(8).toString('hex')}`;
  await sql(`SELECT billing.add_key($1, $2, $3, 'abcd', 'test', NULL, NULL)`, [wallet, keyId, keyHash]);
  return { wallet, keyHash, keyId };
}

/**
 * Waits until projections can read all that was committed: transactions anywhere in the server hold them up, those of other
 * specs too.
 */
export async function untilReadable({ sql }: Pick<TestLedger, 'sql'>): Promise<void> {
  await eventually(async () => {
    const [row] = await sql<{ readable: boolean }>(
      `SELECT pg_snapshot_xmin(pg_current_snapshot()) > coalesce(greatest(
                (SELECT max(txid) FROM billing.usage_record), (SELECT max(txid) FROM billing.credit),
                (SELECT max(txid) FROM billing.unserved_request)), '0') AS readable`,
    );
    return row?.readable;
  });
}

let sequence = 0;

export function newHoldId(): string {
  return `req_${process.pid}_${(sequence++).toString(36)}`;
}

export function admission({ keyHash }: TestWallet, amount: bigint, holdId = newHoldId()): Admission {
  return { type: 'admit', holdId, keyHash, amount, model: 'svc/demo@1' };
}

/** Usage that costs exactly `cost`: one base unit per output token. */
export function usageOf(cost: number, changes: Partial<ServedUsage> = {}): ServedUsage {
  return {
    model: 'svc/demo@1',
    offerId: 'offer-1',
    provider: PROVIDER,
    inputPricePerMtok: '0',
    outputPricePerMtok: '1000000',
    promptTokens: 5,
    completionTokens: cost,
    tokenSource: 'provider',
    attempts: 1,
    finishReason: 'stop',
    ...changes,
  };
}

export function charge(cost: number): Charge {
  return chargeOf(usageOf(cost), SHARE_BPS);
}

/**
 * Has it decided by a ledger that is not alone: what had to wait for the other's lock for too long, on a disk that stands still for
 * instance, was not done, and may be asked for again.
 */
export async function decided<Result>(operation: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
}

/** Lets the leases of these holds lapse. */
export async function lapse({ sql }: TestLedger, holdIds: readonly string[]): Promise<void> {
  await sql(
    `UPDATE billing.open_hold SET lease_until = now() - interval '1 second' WHERE hold_id = ANY ($1)`,
    [holdIds],
  );
}

/** Takes steps while a day lasts for a microsecond in the eyes of budgets, so that no two statements see the same one. */
export async function withDaysOfAMoment({ sql }: TestLedger, steps: () => Promise<void>): Promise<void> {
  const [row] = await sql<{ definition: string }>(
    `SELECT pg_get_functiondef('billing.period_of'::regproc) AS definition`,
  );
  const definition = row?.definition ?? '';
  await sql(definition.replace("date_trunc('day'", "date_trunc('microseconds'"));
  try {
    await steps();
  } finally {
    await sql(definition);
  }
}
