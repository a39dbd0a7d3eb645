// npm run bench:statements: every statement's query over a wallet with a million usage rows, in a database of the bench's own,
// with its plan. The queries are those of billing's stores, made by them.
//   --rows N        usage rows of the wallet (default 1,000,000)
//   --database URL  a scratch server instead of one of the bench's own, as its superuser; the database svc_bench_statements
//                   there is made anew
//   --keep          leave it, and use it as it stands if it is there
//   --plans         print the plans
//   --write         put table and plans into docs/statements.md
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from './options.mjs';
import { writePart } from './page-parts.mjs';
import { SUBJECT, seedStatements } from './statements-seed.mjs';
import { table } from './statistics.mjs';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { Client } = require('pg');
const { Prisma, applyMigrations } = require('@svc/persistence');
const { freePort, startPostgres } = require('@svc/local-servers');
const { merkleTree } = require('@svc/contracts-evm');
const store = (path) => require(`../apps/billing/dist/${path}.store.js`);

const options = readOptions({
  command: 'npm run bench:statements',
  numbers: { rows: 1_000_000 },
  others: {
    database: { type: 'string' },
    keep: { type: 'boolean', default: false },
    plans: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const { rows } = options;
const NAME = 'svc_bench_statements';
const RUNS = 9;
const { wallet, provider, frequentKey, rareKey, model, batchId } = SUBJECT;

/** Stands in for Prisma's client: runs the stores' queries over one plain connection, and remembers them. */
class RecordingClient {
  queries = [];
  last = Promise.resolve();

  constructor(client) {
    this.client = client;
  }

  async $queryRaw(first, ...values) {
    const { text, values: parameters } = Array.isArray(first) ? Prisma.sql(first, ...values) : first;
    this.queries.push({ text, parameters });
    // One after the other: it is one connection.
    this.last = this.last.then(() => this.client.query(text, parameters));
    return (await this.last).rows;
  }

  async $transaction(promises) {
    return Promise.all(promises);
  }
}

/** What is asked, by the stores that billing asks with. */
function casesOf(prisma) {
  const database = { prisma };
  const list = new (store('statement/usage-list').UsageListStore)(database);
  const summary = new (store('statement/usage-summary').UsageSummaryStore)(database);
  const earnings = new (store('statement/earnings').EarningsStore)(database);
  const credits = new (store('statement/credit-list').CreditListStore)(database);
  const positions = new (store('statement/position').PositionStore)(database);
  const receipts = new (store('receipt/receipt').ReceiptStore)(prisma);
  const balance = new (store('ledger/trial-balance').TrialBalanceStore)(prisma);
  const middle = { createdAt: '2026-05-01T12:34:56.789012Z', requestId: 'req_z' };
  const nobody = `0x${'9'.repeat(40)}`;
  const range = { from: '2026-03-03T05:00:00Z', to: '2026-06-07T19:00:00Z' };
  const lines = (name, selection, after, most = 51) => [
    `usage: ${name}`,
    () => list.page({ wallet, ...selection }, after, most),
  ];
  const sums = (name, selection, after, most = 101) => [
    `sums: ${name}`,
    () => summary.page({ wallet, ...selection }, after, most),
  ];
  return [
    ['position', () => positions.find(wallet)],
    lines('newest 50', {}),
    lines('50 from the middle', {}, middle),
    lines('500 of a range', range, undefined, 501),
    lines('50 of a frequent key', { keyId: frequentKey }),
    lines('500 of key, model and provider', { keyId: frequentKey, model, provider }, middle, 501),
    lines('all of a key hardly ever used', { keyId: rareKey }),
    lines('of a provider that never served', { provider: nobody }),
    lines('50 that nobody served', { outcome: 'unserved' }, middle),
    lines('50 that were served', { outcome: 'served' }, middle),
    lines('a page of the export', {}, middle, 1_000),
    lines('a page of the export, narrowed down', { model, keyId: 'key_4' }, middle, 1_000),
    sums('all of it', { by: [] }),
    sums('all but half a day at either end', { by: [], ...range }),
    sums('by day', { by: ['day'] }),
    sums('by day, model and provider', { by: ['day', 'model', 'provider'] }, undefined, 501),
    sums('by month and key', { by: ['month', 'key'] }),
    sums('by key, model and provider', { by: ['key', 'model', 'provider'] }, undefined, 501),
    sums('by hour, first page', { by: ['hour'] }),
    sums('by hour, from the middle', { by: ['hour'] }, ['2026-05-01T12:00:00.000000Z'], 501),
    sums('by hour, key hardly ever used', { by: ['hour'], keyId: rareKey }),
    sums('by hour, key and model', { by: ['hour', 'key', 'model'], provider }, undefined, 501),
    ['earnings by hour', () => earnings.page({ provider, by: 'hour' }, undefined, 501)],
    ['earnings by month, one model', () => earnings.page({ provider, by: 'month', model }, undefined, 101)],
    ['credits: newest 50', () => credits.page({ wallet }, undefined, 51)],
    ['credits: refunds of a range', () => credits.page({ wallet, kind: 'refund', ...range }, undefined, 501)],
    [
      'receipt: its way through a due of 2,000',
      async () => {
        const leaves = await receipts.treeOf(wallet, batchId);
        merkleTree(leaves.map(({ leaf }) => leaf)).proof(1_000);
        return leaves;
      },
      { limitMs: 200 },
    ],
    ['trial balance, all transfers', () => balance.all(), { limitMs: Infinity }],
  ];
}

async function measure(client, [name, ask, { limitMs = 100 } = {}], recorder) {
  const times = [];
  const runs = limitMs === Infinity ? 3 : RUNS;
  for (let run = 0; run < runs; run++) {
    recorder.queries = [];
    const startedMs = performance.now();
    await ask();
    times.push(performance.now() - startedMs);
  }
  times.sort((a, b) => a - b);
  const plans = [];
  for (const { text, parameters } of [...recorder.queries]) {
    const { rows: plan } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${text}`, parameters);
    plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
  }
  const [medianMs, worstMs] = [times[Math.floor(runs / 2)], times.at(-1)];
  const verdict = worstMs < limitMs ? '' : '  ABOVE THE LIMIT';
  console.log(`${name}: ${medianMs.toFixed(1)} ms, at worst ${worstMs.toFixed(1)} ms${verdict}`);
  if (options.plans) console.log(plans.join('\n\n'));
  return { name, medianMs, worstMs, plans, ok: worstMs < limitMs };
}

/** The whole wallet as CSV, page by page as the export reads it. */
async function exportAll(prisma) {
  const list = new (store('statement/usage-list').UsageListStore)({ prisma });
  const { usageCsv } = require('../apps/billing/dist/statement/usage-csv.js');
  const startedMs = performance.now();
  let [exported, bytes, highest] = [0, 0, 0];
  let after;
  for (;;) {
    const page = await list.page({ wallet }, after, 1_000);
    prisma.queries = [];
    bytes += Buffer.byteLength(usageCsv(page));
    exported += page.length;
    highest = Math.max(highest, process.memoryUsage().heapUsed);
    const last = page.at(-1);
    if (!last || page.length < 1_000) break;
    after = { createdAt: last.created_at, requestId: last.hold_id };
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  return (
    `The whole wallet as CSV, read in pages of 1,000: ${exported} rows, ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(0)} s, ` +
    `with never more than ${(highest / 1e6).toFixed(0)} MB on the heap.`
  );
}

function report(results, version, records, exported) {
  const hits = (plan) => (/Buffers: shared hit=(\d+)/.exec(plan) ?? [])[1] ?? '0';
  return [
    `PostgreSQL ${version}, ${cpus().length} cores, ${records} usage rows of one wallet; ${RUNS} runs each over one connection, milliseconds ` +
      'from asking to having the rows.',
    '',
    table(
      ['query', 'median ms', 'worst ms', 'pages read'],
      results.map(({ name, medianMs, worstMs, plans }) => [
        name,
        medianMs.toFixed(1),
        worstMs.toFixed(1),
        plans.map(hits).join(' + '),
      ]),
    ),
    '',
    exported,
    '',
    '## Plans',
    '',
    ...results.flatMap(({ name, plans }) => [
      '<details>',
      `<summary>${name}</summary>`,
      '',
      ...plans.flatMap((plan) => ['```text', plan, '```', '']),
      '</details>',
      '',
    ]),
  ].join('\n');
}

/** A server of the bench's own unless one is named, and its database, seeded. */
async function prepare() {
  const directory =
    options.database === undefined ? mkdtempSync(join(tmpdir(), 'svc-statements-')) : undefined;
  const server =
    directory &&
    (await startPostgres({ dataDir: directory, port: await freePort(), superuserPassword: 'bench' }));
  const adminUrl = new URL(options.database ?? server.url);
  const admin = new Client({ connectionString: adminUrl.href });
  await admin.connect();
  const { rows: found } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [NAME]);
  const fresh = !options.keep || found.length === 0;
  if (fresh) {
    await admin.query(`DROP DATABASE IF EXISTS ${NAME} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${NAME}`);
  }
  adminUrl.pathname = `/${NAME}`;
  if (fresh) await applyMigrations(adminUrl.href, { rolePasswords: { billing: 'bench', catalog: 'bench' } });
  const client = new Client({ connectionString: adminUrl.href });
  await client.connect();
  if (fresh) await seedStatements(client, rows, (line) => console.log(`  ${line}`));
  return {
    client,
    close: async () => {
      await client.end();
      if (!options.keep) await admin.query(`DROP DATABASE ${NAME} WITH (FORCE)`);
      await admin.end();
      await server?.stop();
      if (directory) rmSync(directory, { recursive: true, force: true });
    },
  };
}

const { client, close } = await prepare();
try {
  const recorder = new RecordingClient(client);
  const results = [];
  for (const each of casesOf(recorder)) results.push(await measure(client, each, recorder));
  const { rows: found } = await client.query(
    `SELECT current_setting('server_version') AS version,
            (SELECT count(*) FROM billing.usage_line WHERE wallet = $1)::text AS records`,
    [wallet],
  );
  const exported = await exportAll(recorder);
  console.log(exported);
  const text = report(results, found[0].version.split(' ')[0], found[0].records, exported);
  if (options.write) writePart('docs/statements.md', 'bench:statements', text);
  if (results.some(({ ok }) => !ok)) process.exitCode = 1;
} finally {
  await close();
}
