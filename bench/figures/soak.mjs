import { setTimeout as pause } from 'node:timers/promises';
import { MARKS, pace, saturate } from '../load.mjs';
import { MARKETPLACE } from '../market.mjs';
import { memoryOf } from '../proc.mjs';
import { median, table } from '../statistics.mjs';

const SHARE = 0.8;
const SAMPLE_MS = 2_000;
const MB = 1_000_000;
/** The first minute is for filling pools and compiling. */
const SETTLING_SECONDS = 60;

export const name = 'soak';
export const title = 'Memory under lasting load';
export const about = `Plain requests and burst streams by halves at ${SHARE * 100} % of what saturated the marketplace just before. Memory is what each service's processes
have (RSS; PostgreSQL's, which share theirs, PSS): the median of the half minute after the first minute, and of the last half minute.
A service grows if the second is more than the first in run after run: garbage that was not collected yet is in both.`;

export async function run(bench) {
  const svc = await bench.svc();
  const { ready } = await bench.market();
  const minutes = bench.minutes ?? bench.seconds(10, 0.75);
  const seconds = minutes * 60;
  const settling = Math.min(SETTLING_SECONDS, seconds / 3);
  const window = Math.min(30, seconds / 4);
  const halves = [svc.target(MARKS.plain), svc.target(MARKS.burst)];
  const most = await Promise.all(
    halves.map((target) => saturate(target, { connections: 32, seconds: bench.seconds(10, 3) })),
  );
  const perSecond = most.map((rate) => Math.round(rate.perSecond * SHARE));
  bench.say(`soak: ${perSecond.join(' + ')} requests/s for ${minutes} minutes`);
  let isOver = false;
  const load = Promise.all(
    halves.map((target, index) => pace(target, { perSecond: perSecond[index], seconds })),
  ).finally(() => (isOver = true));
  const samples = [];
  const startedMs = performance.now();
  while (!isOver) {
    const atSeconds = (performance.now() - startedMs) / 1_000;
    samples.push({ atSeconds, memory: memoryByService(ready) });
    if (samples.length % 30 === 0) bench.say(`  ${atSeconds.toFixed(0)} s: ${wordsOf(samples.at(-1))}`);
    await Promise.race([pause(SAMPLE_MS), load]);
  }
  const results = await load;
  const within = (service, from, to) =>
    median(
      samples
        .filter(({ atSeconds }) => atSeconds >= from && atSeconds <= to)
        .map(({ memory }) => memory[service]),
    );
  const growth = {};
  const rows = [...MARKETPLACE, 'all'].map((service) => {
    const first = within(service, settling, settling + window);
    const last = within(service, seconds - window, seconds);
    growth[service] = (100 * (last - first)) / first;
    const highest = Math.max(...samples.map(({ memory }) => memory[service]));
    return [
      service,
      ...[first, last, highest].map((bytes) => (bytes / MB).toFixed(0)),
      growth[service].toFixed(1),
    ];
  });
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  const errors = results.reduce((sum, result) => sum + result.errors, 0);
  const kinds = results.flatMap(({ wrong }) =>
    Object.entries(wrong).map(([what, count]) => `${what}: ${count}`),
  );
  const head = ['MB', 'after the first minute', 'at the end', 'most', 'growth %'];
  const worst = MARKETPLACE.reduce((a, b) => (growth[a] >= growth[b] ? a : b));
  return {
    seconds: `${minutes} minutes`,
    text: `${perSecond.join(' + ')} requests/s, ${requests.toLocaleString('en-US')} in all, ${errors} errors${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}; p99 ${results.map(({ p99Ms }) => p99Ms.toFixed(0)).join(' and ')} ms.\n\n${table(head, rows)}`,
    summary: [
      [
        '10 minutes at 80 % load: memory growth after the first minute',
        '≤ 5 %',
        `${growth.all.toFixed(1)} % (${minutes} minutes; most: ${worst} ${growth[worst].toFixed(1)} %)`,
      ],
    ],
  };
}

function memoryByService(ready) {
  const memory = Object.fromEntries(
    MARKETPLACE.map((service) => {
      const { rss, pss } = memoryOf(ready.processes[service] ?? []);
      return [service, service === 'postgres' ? pss : rss];
    }),
  );
  return { ...memory, all: Object.values(memory).reduce((sum, bytes) => sum + bytes, 0) };
}

const wordsOf = ({ memory }) =>
  Object.entries(memory)
    .map(([service, bytes]) => `${service} ${(bytes / MB).toFixed(0)} MB`)
    .join(', ');
