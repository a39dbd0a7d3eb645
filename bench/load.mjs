// Load from one process, bounded in time and connections, to a loopback address only.
// By itself it asks a provider directly, such as the mock upstream:
//   node bench/load.mjs http://127.0.0.1:PORT/v1 [--mode plain|burst|paced] [--connections 64] [--seconds 2]
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { HttpConnection, requestBytes } from './http-connection.mjs';
import { percentile } from './statistics.mjs';

const WATCH_EVERY_MS = 1_000;
/** A connection that idled longer may be about to be closed by the server. */
const LONGEST_IDLE_MS = 2_000;
const MOST_CONNECTIONS = 4_096;

/** Connections to a target, used one after the other; a target of several processes has several URLs, used in turn. */
export class Load {
  #idle = [];
  #all = new Set();
  #opened = 0;
  #watch = setInterval(() => {
    const nowMs = performance.now();
    for (const connection of this.#all) connection.watch(nowMs);
  }, WATCH_EVERY_MS);
  latencies = [];
  firsts = [];
  wrong = new Map();

  constructor(target) {
    this.target = target;
    this.urls = target.urls ?? [target.url];
    this.requests = this.urls.map((url) => requestBytes({ ...target, url }));
  }

  /** One request. Calls back when it was answered, rightly or not. */
  ask(done) {
    const connection = this.#connection();
    const askedMs = performance.now();
    connection.ask(this.requests[connection.process], this.target.stream, (wrong, firstMs) => {
      const endedMs = performance.now();
      if (wrong === '') {
        this.latencies.push(endedMs - askedMs);
        this.firsts.push(firstMs - askedMs);
      } else this.#note(wrong);
      connection.idleSinceMs = endedMs;
      this.#idle.push(connection);
      done();
    });
  }

  close() {
    clearInterval(this.#watch);
    for (const connection of this.#all) connection.close();
  }

  summary(elapsedMs) {
    const latencies = this.latencies.sort((a, b) => a - b);
    const firsts = this.firsts.sort((a, b) => a - b);
    const errors = [...this.wrong.values()].reduce((sum, count) => sum + count, 0);
    return {
      requests: latencies.length,
      errors,
      wrong: Object.fromEntries(this.wrong),
      perSecond: latencies.length / (elapsedMs / 1_000),
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      firstP50Ms: percentile(firsts, 0.5),
      firstP99Ms: percentile(firsts, 0.99),
    };
  }

  #note(wrong) {
    this.wrong.set(wrong, (this.wrong.get(wrong) ?? 0) + 1);
  }

  /** The one used last, so that few are held open. */
  #connection() {
    const nowMs = performance.now();
    for (;;) {
      const connection = this.#idle.pop();
      if (!connection) break;
      if (nowMs - connection.idleSinceMs <= LONGEST_IDLE_MS) return connection;
      connection.close();
      this.#all.delete(connection);
    }
    if (this.#all.size >= MOST_CONNECTIONS)
      throw new Error('more requests are under way than the load may have');
    const process = this.#opened++ % this.urls.length;
    const connection = new HttpConnection(this.urls[process]);
    connection.process = process;
    this.#all.add(connection);
    return connection;
  }
}

/**
 * Closed loop: each connection asks again as soon as it is answered.
 * @param rampMs the connections begin one after the other over so long
 * @param once each asks one time only
 */
export async function saturate(target, { connections, seconds, rampMs = 0, once = false }) {
  const load = new Load(target);
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  const worker = async (index) => {
    if (rampMs > 0) await pause((rampMs * index) / connections);
    await new Promise((ended) => {
      const next = () => (performance.now() < endMs ? load.ask(once ? ended : next) : ended());
      next();
    });
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => worker(index)));
  const elapsedMs = performance.now() - startedMs;
  load.close();
  return load.summary(elapsedMs);
}

/** A fixed number of requests, so many at once; the result has each one's `latencies` as well. */
export async function exhaust(target, { connections, requests }) {
  const load = new Load(target);
  const startedMs = performance.now();
  let left = requests;
  const worker = () =>
    new Promise((ended) => {
      const next = () => (left-- > 0 ? load.ask(next) : ended());
      next();
    });
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsedMs = performance.now() - startedMs;
  load.close();
  return { ...load.summary(elapsedMs), latencies: load.latencies };
}

/** Open loop: requests leave on schedule, whether earlier ones are answered or not. */
export async function pace(target, { perSecond, seconds }) {
  const load = new Load(target);
  const startedMs = performance.now();
  const pending = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const waitMs = startedMs + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 1) await pause(waitMs);
    pending.push(new Promise((done) => load.ask(done)));
  }
  await Promise.all(pending);
  const elapsedMs = performance.now() - startedMs;
  load.close();
  return load.summary(elapsedMs);
}

/** The mock upstream's replies, as a request's last message asks for them. */
export const MARKS = {
  plain: '[bench plain 0]',
  burst: '[bench stream 50 0]',
  paced: '[bench stream 50 10]',
};

/** What is asked of a provider itself, or of what only passes requests on. */
export function providerTarget(url, mark) {
  const stream = mark.startsWith('[bench stream');
  return {
    url: new URL(url).origin,
    path: '/v1/chat/completions',
    headers: {},
    stream,
    body: JSON.stringify({
      model: 'mock',
      messages: [{ role: 'user', content: `What is a ledger, in a few sentences? ${mark}` }],
      max_tokens: 256,
      ...(stream && { stream: true }),
    }),
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
  const mark = MARKS[values.mode];
  if (!mark) throw new Error('--mode is plain, burst or paced');
  const result = await saturate(providerTarget(positionals[0], mark), {
    connections: Number(values.connections),
    seconds: Number(values.seconds),
  });
  console.log(JSON.stringify(result, undefined, 2));
}
