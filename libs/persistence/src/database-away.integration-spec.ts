import { TcpLink, createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { databaseAway } from './database-away';
import type { Prisma, PrismaClient } from './generated/client';
import { createPrismaClient } from './prisma-client';

let database: TestDatabase;
let link: TcpLink;
let prisma: PrismaClient;

beforeEach(async () => {
  database = await createTestDatabase();
  link = await TcpLink.open(database.billingUrl);
  prisma = createPrismaClient(link.url);
  await prisma.$queryRaw`SELECT 1`;
});
afterEach(async () => {
  await prisma.$disconnect();
  await link.close();
  await database.drop();
});

const sleep = (client = prisma) => client.$queryRaw`SELECT 1 FROM pg_sleep(30)`;
const ask = (client = prisma) => client.apiKey.count();
const write = (client = prisma) => client.$transaction(async (tx) => tx.apiKey.count());

async function failureOf(query: Promise<unknown>): Promise<unknown> {
  const error: unknown = await query.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).toBeDefined();
  return error;
}

/** Waits until the server runs it. */
async function underWay(): Promise<number> {
  const admin = createPrismaClient(database.adminUrl);
  try {
    return await eventually(async () => {
      const [row] = await admin.$queryRaw<{ pid: number }[]>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT 1 FROM pg_sleep%'`;
      return row?.pid;
    });
  } finally {
    await admin.$disconnect();
  }
}

async function terminate(pid: number): Promise<void> {
  const admin = createPrismaClient(database.adminUrl);
  await admin.$queryRaw`SELECT pg_terminate_backend(${pid}::integer)`;
  await admin.$disconnect();
}

describe('databaseAway', () => {
  const away = { payload: { code: 'no_capacity', retryAfterSeconds: 2 } };

  it('is told of queries that the server ended because it stops', async () => {
    const failure = failureOf(sleep());
    await terminate(await underWay());
    expect(databaseAway(await failure)).toMatchObject(away);
  });

  it('is told of queries that the server ended because their transaction took too long', async () => {
    const url = new URL(database.billingUrl);
    url.searchParams.set('options', '-c transaction_timeout=50');
    const limited = createPrismaClient(url.href);
    expect(databaseAway(await failureOf(sleep(limited)))).toMatchObject(away);
    await limited.$disconnect();
  });

  it('is told of queries whose connection was lost', async () => {
    const failure = failureOf(sleep());
    await underWay();
    link.drop();
    expect(databaseAway(await failure)).toMatchObject(away);
  });

  it.each([
    ['a query', ask],
    ['a query of its own words', sleep],
    ['a transaction', write],
  ])('is told where nobody listens: %s', async (_, query) => {
    await link.close();
    // Until the pool has noticed, it gives away connections that are lost.
    for (let time = 0; time < 3; time++) expect(databaseAway(await failureOf(query()))).toMatchObject(away);
  });

  it.each([
    ['a query', ask],
    ['a query of its own words', sleep],
    ['a transaction', write],
  ])('is told where the password was replaced meanwhile: %s', async (_, query) => {
    const url = new URL(database.billingUrl);
    url.password = 'former';
    const stranger = createPrismaClient(url.href);
    expect(databaseAway(await failureOf(query(stranger)))).toMatchObject(away);
    await stranger.$disconnect();
  });

  it.each([
    ['a full disk', 'disk_full'],
    ['connections that others have', 'too_many_connections'],
    ['a standby', 'read_only_sql_transaction'],
    ['a lock that others have', 'lock_not_available'],
    ['what others did at the same time', 'serialization_failure'],
  ])('is told of %s', async (_, condition) => {
    const raise = `DO $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${condition}'; END$$`;
    expect(databaseAway(await failureOf(prisma.$executeRawUnsafe(raise)))).toMatchObject(away);
  });

  it('is told of a statement that took too long', async () => {
    const limited = createPrismaClient(database.billingUrl, { statementTimeoutMs: 50 });
    expect(databaseAway(await failureOf(sleep(limited)))).toMatchObject(away);
    await limited.$disconnect();
  });

  it('is told of a statement over the driver’s own connection that waited for a lock for too long', async () => {
    const client = new Client({ connectionString: database.billingUrl, lock_timeout: 50 });
    await client.connect();
    const failure = await prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT FROM billing.projection FOR UPDATE`;
      return failureOf(client.query('SELECT FROM billing.projection FOR UPDATE'));
    });
    expect(databaseAway(failure)).toMatchObject(away);
    await client.end();
  });

  it.each([
    ['a query', (tx: Prisma.TransactionClient) => tx.apiKey.count()],
    ['a query of its own words', (tx: Prisma.TransactionClient) => tx.$queryRaw`SELECT 1`],
  ])('is told of a transaction that took too long: %s', async (_, query) => {
    const slow = prisma.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM pg_sleep(0.1)`;
        await query(tx);
      },
      { timeout: 50 },
    );
    expect(databaseAway(await failureOf(slow))).toMatchObject(away);
  });

  it.each([
    [
      'a query',
      (tx: Prisma.TransactionClient, name: string) =>
        tx.projection.update({ where: { name }, data: { name } }),
    ],
    [
      'a query of its own words',
      (tx: Prisma.TransactionClient, name: string) =>
        tx.$queryRaw`SELECT FROM billing.projection WHERE name = ${name} FOR UPDATE`,
    ],
  ])('is told of two that waited for each other: %s', async (_, lock) => {
    let both: () => void;
    let locked = 0;
    const bothLocked = new Promise<void>((resolve) => (both = resolve));
    const crossing = ([first, second]: [string, string]) =>
      prisma.$transaction(async (tx) => {
        await lock(tx, first);
        if (++locked === 2) both();
        await bothLocked;
        await lock(tx, second);
      });
    const ends = await Promise.allSettled([crossing(['usage', 'credit']), crossing(['credit', 'usage'])]);
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [databaseAway(end.reason)] : []));
    expect(failures).toMatchObject([away]);
  });

  it('is not told of anything else', async () => {
    expect(databaseAway(await failureOf(prisma.$queryRaw`SELECT nothing`))).toBeUndefined();
    expect(databaseAway(new TypeError('secret'))).toBeUndefined();
    expect(databaseAway('Connection terminated')).toBeUndefined();
  });
});
