// npm run bench:billing: holds and their settlements through billing's NATS API, each durable (fsync and
// synchronous_commit on) before it is answered, on a marketplace of the bench's own.
//   --seconds N    length of each scenario (default 8)
//   --wallets N    over how many wallets the load is spread (default 10,000)
//   --only TEXT    only the scenarios whose name holds it
//   --minutes N    instead: the spread load at 80 % of what it can do for so long, and what memory it took
//   --node PATH    the Node that runs the marketplace (default: this one)
//   --write        put the table into docs/performance.md
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { BenchLedger, benchWallets } from './billing-ledger.mjs';
import { PairLoad } from './billing-load.mjs';
import { cpuByProcess } from './cpu.mjs';
import { startMarket } from './market.mjs';
import { natsOf } from './market-nats.mjs';
import { versionOf } from './node-version.mjs';
import { readOptions } from './options.mjs';
import { withPartOrNew, writePart } from './page-parts.mjs';
import { memoryOf } from './proc.mjs';
import { table } from './statistics.mjs';

const options = readOptions({
  command: 'npm run bench:billing',
  numbers: { seconds: 8, wallets: 10_000, minutes: undefined },
  others: {
    only: { type: 'string', default: '' },
    node: { type: 'string', default: process.execPath },
    write: { type: 'boolean', default: false },
  },
});
const { seconds, wallets: walletCount } = options;
const workspace = fileURLToPath(new URL('..', import.meta.url));
/** Half of what billing should do. */
const PACE = 5_000;
const MEASURED = ['billing', 'nats', 'postgres'];
const COLUMNS = [...MEASURED, 'generator'];

let answered = 0;

/** The generator is this process without its children, which are the marketplace. */
function cpuOf(processes) {
  const { user, system } = process.cpuUsage();
  return { ...cpuByProcess(processes), generator: user + system };
}

async function measure(name, processes, work) {
  const before = cpuOf(processes);
  const result = await work();
  const after = cpuOf(processes);
  answered += result.requests;
  // Servers that were given are nobody's here.
  const cpu = Object.fromEntries(
    COLUMNS.map((each) => [each, ((after[each] ?? 0) - (before[each] ?? 0)) / result.requests]),
  );
  const totalCpu = MEASURED.reduce((sum, each) => sum + cpu[each], 0);
  console.log(
    `${name}: ${result.perSecond.toFixed(0)} pairs/s, p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms, ` +
      `${result.errors} errors; CPU-µs ${COLUMNS.map((each) => `${each} ${cpu[each].toFixed(0)}`).join(', ')}`,
  );
  return { name, ...result, cpu, totalCpu };
}

const HEAD = ['scenario', 'pairs/s', 'p50 ms', 'p99 ms', 'one call p99 ms', 'errors', 'CPU-µs', ...COLUMNS];

const cellsOf = (row) => [
  row.name,
  row.perSecond.toFixed(0),
  ...[row.p50Ms, row.p99Ms, row.callP99Ms].map((ms) => ms.toFixed(1)),
  row.errors,
  row.totalCpu.toFixed(0),
  ...COLUMNS.map((each) => row.cpu[each].toFixed(0)),
];

async function scenarios(load, processes, ledger) {
  const rows = [];
  const add = async (name, work) => {
    if (name.includes(options.only)) rows.push(await measure(name, processes, work));
  };
  // First, so that it does not run beside the followers of what the others leave behind.
  await ledger.followed();
  await add(`spread, paced at ${PACE}/s`, () => load.pace({ perSecond: PACE, seconds, walletCount }));
  for (const inFlight of [64, 512]) {
    await add(`spread over ${walletCount} wallets, ${inFlight} in flight`, () =>
      load.saturate({ inFlight, seconds, walletCount }),
    );
    await add(`one hot wallet, ${inFlight} in flight`, () =>
      load.saturate({ inFlight, seconds, walletCount: 1 }),
    );
  }
  return table(HEAD, rows.map(cellsOf));
}

const residentMb = (pids) => memoryOf(pids).rss / 2 ** 20;

/** RSS of billing once a minute, at a steady load. */
async function memory(load, processes, minutes) {
  const { perSecond } = await measure('saturated', processes, () =>
    load.saturate({ inFlight: 512, seconds, walletCount }),
  );
  const pace = Math.round(perSecond * 0.8);
  const series = [];
  for (let minute = 1; minute <= minutes; minute++) {
    await measure(`minute ${minute}`, processes, () =>
      load.pace({ perSecond: pace, seconds: 60, walletCount }),
    );
    series.push(residentMb(processes.billing));
    console.log(
      `  billing ${series.at(-1).toFixed(0)} MB, nats ${residentMb(processes.nats ?? []).toFixed(0)} MB`,
    );
  }
  const growth = (100 * (series.at(-1) - series[0])) / series[0];
  return `At ${pace} pairs/s for ${minutes} minutes: billing has ${series[0].toFixed(0)} MB after the first and ${series.at(-1).toFixed(0)} MB at the end (${growth.toFixed(1)} %).`;
}

// The bench's wallets have nothing on the chain: it is not read again while the bench runs, nothing is collected, and what
// they owe meanwhile is not capped.
process.env.CHAIN_POLL_MS ??= '60000';
process.env.SETTLER_KEY ??= '';
process.env.PAYER_KEY ??= '';
process.env.UNSETTLED_CAP ??= '1000000000000';
const market = await startMarket(workspace, options.node);
try {
  const { ready } = market;
  const { processes } = ready;
  const wallets = benchWallets(walletCount);
  const ledger = await BenchLedger.connect(ready.databaseUrl);
  await ledger.seed(wallets);
  const load = await PairLoad.connect((user) => natsOf(market, user), wallets);
  await measure('warm-up', processes, () => load.saturate({ inFlight: 64, seconds: 3, walletCount }));
  const kind = options.minutes === undefined ? 'billing' : 'billing-memory';
  const result = await (options.minutes === undefined
    ? scenarios(load, processes, ledger)
    : memory(load, processes, options.minutes));
  if (Object.keys(load.refusals).length > 0) console.log('refused:', load.refusals);
  const checked = await ledger.check(answered);
  const text = [
    `Node ${versionOf(options.node)}, ${cpus().length} cores, load generator on the same machine, ${seconds} s a scenario.`,
    '',
    result,
    '',
    `Checked afterwards: held 0, no open hold, charged ${checked.posted} base units = the sum of receipts = ${answered} pairs of ${Number(checked.posted) / answered}; the trial balance is even.`,
  ].join('\n');
  console.log(`\n${text}`);
  if (options.write) writePart('docs/performance.md', `bench:${kind}`, text, withPartOrNew);
  await load.close();
  await ledger.close();
} finally {
  await market.stop();
}
