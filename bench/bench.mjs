// What the figures are measured with, each part started when it is first asked for and ended at the end.
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuByProcess } from './cpu.mjs';
import { pace, providerTarget, saturate } from './load.mjs';
import { MARKETPLACE, marketTarget, offerMocks, startEngine, startMarket, startMock } from './market.mjs';
import { startBareWay } from './peers/bare-way.mjs';
import { PORTKEY, startPortkey } from './peers/portkey.mjs';
import { startProcess } from './processes.mjs';

const workspace = fileURLToPath(new URL('..', import.meta.url));
export const MODEL = 'svc/bench@1';
/**
 * V8 compiles what it often runs while it runs, on the same processors: the first seconds of a fresh process cost it several times what
 * later ones do, and how many these are differs between systems and machines. So each is loaded in steps until its requests do not become
 * cheaper any more.
 */
const WARM_UP = { stepSeconds: 5, mostSteps: 16, settledSteps: 2, cheaper: 0.95 };
/** What a system does for requests that were answered must not take from who is asked next: it has come to rest below this much of a processor. */
const REST = { processors: 0.15, sampleMs: 1_000, longestMs: 180_000 };
/** The most that an offer may have. */
const OFFER_CONCURRENCY = 512;

export class Bench {
  #parts = new Map();
  #stops = [];
  #offered = new Set();

  /** @param quick short rounds, to see that everything works; its figures say little */
  constructor({ node, quick = false, minutes }) {
    this.node = node;
    this.quick = quick;
    this.minutes = minutes;
    this.rounds = quick ? 3 : 5;
  }

  /** Seconds of a round: so many, or `quickly` in a quick run. */
  seconds(usually, quickly) {
    return this.quick ? quickly : usually;
  }

  /** Asks each system for as much as it answers, until all of them have compiled what they run: see WARM_UP. */
  async warmUp(systems, mark, options) {
    const seconds = this.seconds(WARM_UP.stepSeconds, 1);
    const load = saturating(mark, { ...options, seconds });
    for (const system of systems) {
      const steps = await stepsUntilWarm(system, load, this.quick ? 1 : WARM_UP.mostSteps);
      const restedMs = await untilAtRest(system.pids);
      const [warm, rested] = [steps * seconds, (restedMs / 1_000).toFixed(0)];
      this.say(`  ${system.name}: warm after ${warm} s, at rest ${rested} s later`);
    }
  }

  say(text) {
    console.log(text);
  }

  /** A quick run has fewer streams at once, for which one offer has room. */
  streams(usually) {
    return this.quick ? 400 : usually;
  }

  /** The marketplace. */
  market() {
    return this.part('market', () => startMarket(workspace, this.node));
  }

  engine() {
    return this.part('engine', () => startEngine(this.node));
  }

  mock() {
    return this.part('mock', async () => startMock(await this.engine()));
  }

  /**
   * svc, as one of the systems that are compared.
   * @param offers how many offers the bench's model needs: each takes 512 requests at once
   */
  async svc(offers = 1) {
    const [market, mock] = [await this.market(), await this.mock()];
    await this.offer(
      Array.from({ length: offers }, (_, index) => ({
        name: `bench-${index + 1}`,
        model: MODEL,
        url: mock.url,
        concurrency: OFFER_CONCURRENCY,
      })),
    );
    return {
      name: 'svc',
      pids: MARKETPLACE.flatMap((service) => market.ready.processes[service] ?? []),
      target: (mark, earlier) => marketTarget(market.ready, MODEL, mark, earlier),
    };
  }

  /** Portkey with so many processes, as one of the systems that are compared. */
  portkey(processes) {
    return this.part(`portkey-${processes}`, async () => {
      const mock = await this.mock();
      const { pids, urls, headers, stop } = await startPortkey(this.node, mock.url, processes);
      this.#stops.push(stop);
      return {
        name: `${PORTKEY}, ${processes === 1 ? 'one process' : 'two processes'}`,
        pids,
        target: (mark) => ({ ...providerTarget(mock.url, mark), urls, headers }),
      };
    });
  }

  bareProxy() {
    return this.part('bare', async () => {
      const mock = await this.mock();
      const script = fileURLToPath(new URL('peers/bare-proxy.mjs', import.meta.url));
      const { pid, firstLine, stop } = await startProcess('bare proxy', this.node, [script, mock.url]);
      this.#stops.push(stop);
      const url = await firstLine;
      return { name: 'bare Fastify + undici', pids: [pid], target: (mark) => providerTarget(url, mark) };
    });
  }

  /** svc's way without svc; plain requests only. */
  bareWay() {
    return this.part('bare way', async () => {
      const mock = await this.mock();
      const { pids, url, stop } = await startBareWay(this.node, mock.url);
      this.#stops.push(stop);
      return { name: 'the bare way', pids, target: (mark) => providerTarget(url, mark) };
    });
  }

  upstreamAlone() {
    return this.part('alone', async () => {
      const { url, pid } = await this.mock();
      return { name: 'the mock upstream alone', pids: [pid], target: (mark) => providerTarget(url, mark) };
    });
  }

  /** Offers upstreams in the market, as {@link offerMocks} says; what has been offered before is not offered again. */
  async offer(offers, options) {
    const news = offers.filter(({ name }) => !this.#offered.has(name));
    if (news.length === 0) return;
    const startedMs = performance.now();
    await offerMocks(await this.market(), news, options);
    for (const { name } of news) this.#offered.add(name);
    this.say(`certified ${news.length} offers in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
  }

  /** Starts a part once. What has a `stop` is stopped at the end, the last one first. */
  part(name, start) {
    if (!this.#parts.has(name)) {
      const starting = start().then((part) => {
        if (part.stop) this.#stops.push(part.stop);
        return part;
      });
      this.#parts.set(name, starting);
    }
    return this.#parts.get(name);
  }

  async close() {
    for (const stop of this.#stops.toReversed()) await stop();
  }
}

/** The CPU-µs that the processes have taken so far. */
const cpuOf = (pids) => cpuByProcess({ all: pids }).all;

/** Does the work and adds the CPU-µs of the processes for each request that was answered. */
export async function withCpu(pids, work) {
  const before = cpuOf(pids);
  const result = await work();
  return { ...result, cpu: (cpuOf(pids) - before) / Math.max(result.requests, 1) };
}

/** Loads a system step by step: see WARM_UP. @returns how many steps that took */
async function stepsUntilWarm(system, load, mostSteps) {
  let least = Infinity;
  let settled = 0;
  for (let steps = 1; ; steps++) {
    const { cpu } = await withCpu(system.pids, () => load(system));
    settled = cpu > WARM_UP.cheaper * least ? settled + 1 : 0;
    least = Math.min(least, cpu);
    if (settled === WARM_UP.settledSteps || steps === mostSteps) return steps;
  }
}

/** Waits until the processes do nothing more for what they were asked before. @returns how long that took, ms */
async function untilAtRest(pids) {
  const startedMs = performance.now();
  for (;;) {
    const before = cpuOf(pids);
    await pause(REST.sampleMs);
    const processors = (cpuOf(pids) - before) / (REST.sampleMs * 1_000);
    const tookMs = performance.now() - startedMs;
    if (processors < REST.processors || tookMs > REST.longestMs) return tookMs;
  }
}

/**
 * The same load on each system in turn, round by round, so that what else the machine does meets all of them. Each turn begins when who was
 * asked before is at rest.
 * @param load asks one system for one round: gets the system
 * @returns for each system its name and its results, one for each round
 */
export async function inTurn(bench, systems, load) {
  const results = systems.map(({ name }) => ({ name, rounds: [] }));
  for (let round = 0; round < bench.rounds; round++) {
    for (let turn = 0; turn < systems.length; turn++) {
      const index = (round + turn) % systems.length;
      const system = systems[index];
      const result = await withCpu(system.pids, () => load(system));
      results[index].rounds.push(result);
      await untilAtRest(system.pids);
      bench.say(`  ${system.name}: ${wordsOf(result)}`);
    }
  }
  return results;
}

function wordsOf({ perSecond, p50Ms, p99Ms, errors, wrong, cpu }) {
  const failures = errors === 0 ? '' : `, ${errors} errors ${JSON.stringify(wrong)}`;
  return `${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${cpu.toFixed(0)} CPU-µs${failures}`;
}

export const saturating = (mark, options) => (system) => saturate(system.target(mark), options);
export const pacing = (mark, options) => (system) => pace(system.target(mark), options);
