// Load from one process, bounded in time and connections, to a loopback address only.
// By itself it asks a provider directly, such as the mock upstream:
//   node bench/load.mjs http://127.0.0.1:PORT/v1 [--mode plain|burst|paced] [--connections 64] [--seconds 2]
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';

/** A reply that is silent for longer is an error, so that a run always ends. */
const SILENCE_MS = 30_000;

const percentile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

async function one(pool, target) {
  const startedMs = performance.now();
  const { statusCode, body } = await pool.request({
    path: target.path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...target.headers },
    body: target.body,
  });
  let tail = '';
  for await (const chunk of body)
    tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 64))).slice(-64);
  const whole = target.stream ? tail.endsWith('data: [DONE]\n\n') : tail.endsWith('}');
  return { ok: statusCode === 200 && whole, ms: performance.now() - startedMs };
}

function poolFor(target, connections) {
  const { hostname, origin } = new URL(target.url);
  if (hostname !== '127.0.0.1') throw new Error('the load generator goes to 127.0.0.1 only');
  return new Pool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
  });
}

function summary(results, elapsedMs) {
  const latencies = results.filter(({ ok }) => ok).map(({ ms }) => ms);
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    errors: results.length - latencies.length,
    perSecond: latencies.length / (elapsedMs / 1_000),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

/** Closed loop: each connection asks again as soon as it is answered. */
export async function saturate(target, { connections, seconds }) {
  const pool = poolFor(target, connections);
  const results = [];
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  const worker = async () => {
    while (performance.now() < endMs)
      results.push(await one(pool, target).catch(() => ({ ok: false, ms: 0 })));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsedMs = performance.now() - startedMs;
  await pool.close();
  return summary(results, elapsedMs);
}

/** Open loop: requests leave on schedule, whether earlier ones are answered or not. */
export async function pace(target, { perSecond, seconds }) {
  const pool = poolFor(target, 256);
  const startedMs = performance.now();
  const pending = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const waitMs = startedMs + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 1) await new Promise((next) => setTimeout(next, waitMs));
    pending.push(one(pool, target).catch(() => ({ ok: false, ms: 0 })));
  }
  const results = await Promise.all(pending);
  const elapsedMs = performance.now() - startedMs;
  await pool.close();
  return summary(results, elapsedMs);
}

/** What is asked of a provider itself, in the mock upstream's terms. */
function providerTarget(url, mode) {
  const fields = { plain: {}, burst: { stream: true }, paced: { stream: true, temperature: 1 } }[mode];
  if (!fields) throw new Error('--mode is plain, burst or paced');
  const request = { model: 'mock', messages: [{ role: 'user', content: 'Hello' }], ...fields };
  return {
    url,
    path: '/v1/chat/completions',
    headers: {},
    stream: mode !== 'plain',
    body: JSON.stringify(request),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      mode: { type: 'string', default: 'plain' },
      connections: { type: 'string', default: '64' },
      seconds: { type: 'string', default: '2' },
    },
  });
  const target = providerTarget(positionals[0], values.mode);
  const result = await saturate(target, {
    connections: Number(values.connections),
    seconds: Number(values.seconds),
  });
  console.log(JSON.stringify(result, undefined, 2));
}
