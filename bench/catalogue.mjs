// npm run bench:catalogue: GET /v1/models with many models and offers on sale: requests per second on one gateway process, what the
// views take in memory, how soon a change is seen. NATS, a gateway and a cortex of the bench's own; the buckets are filled as the
// catalogue fills them.
//   --seconds N   length of each scenario (default 5)
//   --models N    default 1,000
//   --offers N    default 10,000
//   --changes N   how often a change is timed (default 20)
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { occupy } from '../tools/stack-lock.mjs';
import { modelOf, offerOf } from './catalogue-views.mjs';
import { cpuByProcess } from './cpu.mjs';
import { readOptions } from './options.mjs';
import { endWithBench } from './processes.mjs';
import { table } from './statistics.mjs';

const require = createRequire(import.meta.url);
const { CATALOG_BUCKETS, catalogKey } = require('@svc/contracts');
const { credentialPublicKeyOf, generateCredentialKey } = require('@svc/credential-seal');
const { forEachNatsUser, freePort, natsPasswords, startNats } = require('@svc/local-servers');
const { connectMessaging } = require('@svc/messaging');

const options = readOptions({
  command: 'npm run bench:catalogue',
  numbers: { seconds: 5, models: 1_000, offers: 10_000, changes: 20 },
});
const { seconds } = options;
const workspace = fileURLToPath(new URL('..', import.meta.url));
const directory = join(workspace, '.local/bench-catalogue');
const PASSWORD = 'bench';
const CONNECTIONS = 32;
const PUTS_AT_ONCE = 200;
const MB = 1024 * 1024;

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

async function fill(bucket, entries) {
  for (let at = 0; at < entries.length; at += PUTS_AT_ONCE) {
    const some = entries.slice(at, at + PUTS_AT_ONCE);
    await Promise.all(some.map(({ id, view }) => bucket.put(catalogKey(id), JSON.stringify(view))));
  }
}

class Service {
  static async start(name, nats, environment) {
    const service = new Service();
    const port = await freePort();
    service.url = `http://127.0.0.1:${port}`;
    const startedMs = performance.now();
    const log = openSync(join(directory, `${name}.log`), 'a');
    service.child = spawn(
      process.execPath,
      ['--expose-gc', '--import', join(workspace, 'bench/gc-on-signal.mjs'), `apps/${name}/dist/main.js`],
      {
        cwd: workspace,
        env: {
          PATH: process.env.PATH,
          HTTP_PORT: String(port),
          NATS_URL: nats.url,
          NATS_USER: name,
          NATS_PASSWORD: PASSWORD,
          ...environment,
        },
        stdio: ['ignore', log, log],
      },
    );
    service.child.once('exit', endWithBench(service.child.pid));
    closeSync(log);
    for (;;) {
      const reply = await fetch(`${service.url}/health/ready`).catch(() => undefined);
      await reply?.arrayBuffer();
      if (reply?.ok) break;
      if (service.child.exitCode !== null) throw new Error(`${name} did not start; see ${directory}`);
      await pause(10);
    }
    service.startMs = performance.now() - startedMs;
    return service;
  }

  /** What is kept, after garbage was collected: the heap and what lies beside it. */
  async keptBytes() {
    for (let round = 0; round < 3; round++) {
      this.child.kill('SIGUSR2');
      await pause(300);
    }
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const gauge = (name) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
    return {
      kept: gauge('nodejs_heap_size_used_bytes') + gauge('nodejs_external_memory_bytes'),
      resident: gauge('process_resident_memory_bytes'),
    };
  }

  async stop() {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** Closed loop; counts what came back whole. */
async function saturate(name, gateway, headers, wanted) {
  const pool = new Pool(gateway.url, { connections: CONNECTIONS, pipelining: 1 });
  const latencies = [];
  let errors = 0;
  let bytes = 0;
  const cpuBefore = cpuByProcess({ gateway: [gateway.child.pid] }).gateway;
  const startedMs = performance.now();
  const worker = async () => {
    while (performance.now() - startedMs < seconds * 1_000) {
      const askedMs = performance.now();
      const {
        statusCode,
        headers: got,
        body,
      } = await pool.request({ path: '/v1/models', method: 'GET', headers });
      let length = 0;
      for await (const chunk of body) length += chunk.length;
      const whole = wanted.status === 304 || length === Number(got['content-length']);
      if (statusCode === wanted.status && got['content-encoding'] === wanted.coding && whole)
        latencies.push(performance.now() - askedMs);
      else errors++;
      bytes = length;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const elapsedMs = performance.now() - startedMs;
  const cpu = cpuByProcess({ gateway: [gateway.child.pid] }).gateway - cpuBefore;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)] ?? NaN;
  const row = [
    name,
    ((latencies.length / elapsedMs) * 1_000).toFixed(0),
    at(0.5).toFixed(1),
    at(0.99).toFixed(1),
    errors,
    (cpu / latencies.length).toFixed(0),
    (bytes / 1_024).toFixed(1),
  ];
  console.log(row.join('  '));
  return row;
}

let nextPrice = 7_000_000;

/** Milliseconds from the put of a changed model to the first list that shows it. */
async function timeChanges(gateway, bucket, count) {
  const times = [];
  for (let change = 0; change < count; change++) {
    const price = String(nextPrice++);
    const model = modelOf(change, price);
    const startedMs = performance.now();
    await bucket.put(catalogKey(model.id), JSON.stringify(model));
    let etag = '';
    for (;;) {
      const reply = await fetch(`${gateway.url}/v1/models`, { headers: { 'if-none-match': etag } });
      const text = await reply.text();
      etag = reply.headers.get('etag');
      if (reply.status === 200 && text.includes(`"${price}"`)) break;
      if (performance.now() - startedMs > 10_000) throw new Error('a change was never seen');
      await pause(5);
    }
    times.push(performance.now() - startedMs);
    await pause(Math.random() * 200);
  }
  times.sort((a, b) => a - b);
  return { medianMs: times[Math.floor(times.length / 2)], mostMs: times.at(-1) };
}

const HEAD = ['GET /v1/models', 'requests/s', 'p50 ms', 'p99 ms', 'errors', 'gateway CPU-µs', 'KiB a reply'];

async function until(condition) {
  while (!(await condition())) await pause(20);
}

// Its servers are not those of `npm start`, whose lock keeps a reset away.
occupy(join(workspace, '.local'), 'bench-catalogue');
rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
let forgetNats;
const nats = await startNats({
  dataDir: join(directory, 'nats'),
  port: await freePort(),
  configFile: join(workspace, 'deploy/nats/nats.conf'),
  env: natsPasswords(forEachNatsUser(() => PASSWORD)),
  onSpawn: (pid) => (forgetNats = endWithBench(pid)),
});
const environment = {
  gateway: {
    KEY_PEPPER: 'a pepper for the bench only',
    RESPONSE_KEY: 'cd'.repeat(32),
    CREDENTIAL_PUBLIC_KEY: credentialPublicKeyOf(generateCredentialKey()),
  },
  cortex: {},
};
const services = [];
try {
  const catalog = await connectMessaging('catalog', {
    natsUrl: nats.url,
    natsUser: 'catalog',
    natsPassword: PASSWORD,
  });
  const views = catalog.connection.jetstream().views;
  const models = await views.kv(CATALOG_BUCKETS.models, { history: 1 });
  const offers = await views.kv(CATALOG_BUCKETS.offers, { history: 1 });
  const start = async (name) => {
    const service = await Service.start(name, nats, environment[name]);
    services.push(service);
    return service;
  };
  const { models: modelCount, offers: offerCount } = options;
  const empty = { gateway: await start('gateway'), cortex: await start('cortex') };
  const before = { gateway: await empty.gateway.keptBytes(), cortex: await empty.cortex.keptBytes() };
  await Promise.all([empty.gateway.stop(), empty.cortex.stop()]);

  const filledMs = performance.now();
  await fill(
    models,
    Array.from({ length: modelCount }, (_, index) => ({ id: modelOf(index).id, view: modelOf(index) })),
  );
  await fill(
    offers,
    Array.from({ length: offerCount }, (_, index) => {
      const view = offerOf(index, modelCount);
      return { id: view.offerId, view };
    }),
  );
  console.log(`filled the buckets in ${((performance.now() - filledMs) / 1_000).toFixed(1)} s`);

  const gateway = await start('gateway');
  const cortex = await start('cortex');
  const ask = (headers) => fetch(`${gateway.url}/v1/models`, { headers });
  await until(async () => (await ask({ 'accept-encoding': 'br' })).headers.get('content-encoding') === 'br');
  const listed = await (await ask({})).json();
  if (listed.data.length !== modelCount) throw new Error(`${listed.data.length} models are listed`);
  const after = { gateway: await gateway.keptBytes(), cortex: await cortex.keptBytes() };

  const rows = [];
  for (const coding of [undefined, 'gzip', 'br']) {
    const headers = { 'accept-encoding': coding ?? 'identity' };
    rows.push(await saturate(coding ?? 'identity', gateway, headers, { status: 200, coding }));
    const { headers: got } = await ask(headers);
    const etag = got.get('etag');
    if (coding === 'br')
      rows.push(await saturate('304', gateway, { ...headers, 'if-none-match': etag }, { status: 304 }));
  }
  const idle = await timeChanges(gateway, models, options.changes);
  const [, busy] = await Promise.all([
    saturate(
      'br, while models change',
      gateway,
      { 'accept-encoding': 'br' },
      { status: 200, coding: 'br' },
    ).then((row) => rows.push(row)),
    timeChanges(gateway, models, Math.max(3, Math.floor(seconds * 2))),
  ]);

  const megabytes = (name, figure) => ((after[name][figure] - before[name][figure]) / MB).toFixed(1);
  console.log(`
Node ${process.versions.node}, ${cpus().length} cores, load generator on the same machine, ${CONNECTIONS} connections, ${seconds} s a scenario;
${modelCount} models, ${offerCount} offers.

${table(HEAD, rows)}

| | |
| --- | ---: |
| the gateway's view: heap and buffers kept (resident) | ${megabytes('gateway', 'kept')} MB (${megabytes('gateway', 'resident')} MB) |
| cortex's view: heap and buffers kept (resident) | ${megabytes('cortex', 'kept')} MB (${megabytes('cortex', 'resident')} MB) |
| from the put of a change to the first list with it, idle: median, most | ${idle.medianMs.toFixed(0)}, ${idle.mostMs.toFixed(0)} ms |
| the same, at saturation | ${busy.medianMs.toFixed(0)}, ${busy.mostMs.toFixed(0)} ms |
| start to ready with full buckets: gateway, cortex | ${gateway.startMs.toFixed(0)}, ${cortex.startMs.toFixed(0)} ms |`);
  await catalog.connection.close();
} finally {
  await Promise.all(services.filter(({ child }) => child.exitCode === null).map((service) => service.stop()));
  await nats.stop();
  forgetNats();
}
