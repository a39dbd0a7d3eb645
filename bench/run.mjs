// npm run bench: the whole product on this machine, every check on, durable hold and settlement.
//   --seconds N   length of each scenario (default 10)
//   --node PATH   the Node that runs the marketplace (default: this one)
//   --ready FILE  use the marketplace that wrote this ready.json; the run's model stays in its catalogue
//   --write       put the table into docs/performance.md
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuByProcess } from './cpu.mjs';
import { MARKS, pace, providerTarget, saturate } from './load.mjs';
import {
  MARKETPLACE,
  conversationOf,
  marketTarget,
  offerMocks,
  startEngine,
  startMarket,
  startMock,
} from './market.mjs';
import { versionOf } from './node-version.mjs';
import { readOptions } from './options.mjs';
import { writePart } from './page-parts.mjs';
import { table } from './statistics.mjs';

const options = readOptions({
  command: 'npm run bench',
  numbers: { seconds: 10 },
  others: {
    node: { type: 'string', default: process.execPath },
    ready: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const { seconds } = options;
const workspace = fileURLToPath(new URL('..', import.meta.url));
/** A marketplace that was up before may still list what a former run offered there, and nobody answers for that any more. */
const MODEL = options.ready === undefined ? 'svc/bench@1' : `svc/bench-${Date.now().toString(36)}@1`;
/** More than any scenario has under way at once. */
const CONCURRENCY = 128;

async function measure(name, processes, work) {
  const before = cpuByProcess(processes);
  const result = await work();
  const after = cpuByProcess(processes);
  const perRequest = Object.fromEntries(
    Object.keys(processes).map((service) => [service, (after[service] - before[service]) / result.requests]),
  );
  const total = MARKETPLACE.reduce((sum, service) => sum + (perRequest[service] ?? 0), 0);
  console.log(
    `${name}: ${result.perSecond.toFixed(0)}/s, p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms, ` +
      `${result.errors} errors, ${total.toFixed(0)} CPU-µs a request`,
  );
  return { name, ...result, cpu: perRequest, totalCpu: total };
}

const HEAD = ['scenario', 'per second', 'p50 ms', 'p99 ms', 'errors', 'CPU-µs', ...MARKETPLACE];

const cellsOf = (row) => [
  row.name,
  row.perSecond.toFixed(0),
  row.p50Ms.toFixed(1),
  row.p99Ms.toFixed(1),
  row.errors,
  row.totalCpu.toFixed(0),
  ...MARKETPLACE.map((service) => (row.cpu[service] ?? 0).toFixed(0)),
];

const market =
  options.ready === undefined
    ? await startMarket(workspace, options.node)
    : {
        ready: JSON.parse(readFileSync(options.ready, 'utf8')),
        directory: dirname(options.ready),
        stop: () => undefined,
      };
const engine = await startEngine(options.node);
const mock = await startMock(engine);
try {
  const { ready } = market;
  await offerMocks(market, [{ name: 'bench', model: MODEL, url: mock.url, concurrency: CONCURRENCY }]);
  const { processes } = ready;
  const plain = marketTarget(ready, MODEL, MARKS.plain);
  const burst = marketTarget(ready, MODEL, MARKS.burst);
  await saturate(plain, { connections: 64, seconds: 3 });
  await saturate(burst, { connections: 64, seconds: 3 });
  const rows = [
    await measure('plain, 64 connections', processes, () => saturate(plain, { connections: 64, seconds })),
    await measure('burst stream (50 chunks), 64 connections', processes, () =>
      saturate(burst, { connections: 64, seconds }),
    ),
    await measure('plain, 200 messages of 500 bytes, 16 connections', processes, () =>
      saturate(marketTarget(ready, MODEL, MARKS.plain, conversationOf(199)), { connections: 16, seconds }),
    ),
    await measure('plain at 200 requests/s', processes, () => pace(plain, { perSecond: 200, seconds })),
  ];
  const bare = await pace(providerTarget(mock.url, MARKS.plain), { perSecond: 200, seconds });
  const text = [
    `Node ${versionOf(options.node)}, ${cpus().length} cores, load generator and mock upstream on the same machine, ${seconds} s a scenario.`,
    '',
    table(HEAD, rows.map(cellsOf)),
    '',
    `The mock upstream alone at 200 requests/s: p50 ${bare.p50Ms.toFixed(1)} ms, p99 ${bare.p99Ms.toFixed(1)} ms.`,
  ].join('\n');
  console.log(`\n${text}`);
  if (options.write) writePart('docs/performance.md', 'bench', text);
} finally {
  await market.stop();
  await Promise.all([mock.stop(), engine.stop()]);
}
