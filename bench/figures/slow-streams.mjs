import { setTimeout as pause } from 'node:timers/promises';
import { MARKETPLACE } from '../market.mjs';
import { saturate } from '../load.mjs';
import { memoryOf } from '../proc.mjs';
import { spread, table } from '../statistics.mjs';

const STREAMS = 2_000;
const PACE_MS = 100;
const KB = 1_000;

export const name = 'slow-streams';
export const title = 'Two thousand slow streams';
export const about = `${STREAMS.toLocaleString('en-US')} streams at once, a chunk every ${PACE_MS} ms: what the processes have more in memory while all of them run than just before,
by stream. Pages that processes share count once (PSS). The same streams ran once before, so that what is kept for the next ones counts
on neither side.`;

export async function run(bench) {
  const svc = await bench.svc(bench.quick ? 1 : 5);
  const { ready } = await bench.market();
  const streams = bench.streams(STREAMS);
  const holdMs = bench.seconds(8, 3) * 1_000;
  const rampMs = bench.seconds(6, 2) * 1_000;
  const chunks = Math.ceil((rampMs + holdMs + 2_000) / PACE_MS);
  const target = svc.target(`[bench stream ${chunks} ${PACE_MS}]`);
  // All begin within the ramp, and none ends before the last one has run for a while.
  const all = () =>
    saturate(target, { connections: streams, seconds: (rampMs + holdMs) / 1_000, rampMs, once: true });
  const rounds = [];
  const count = bench.quick ? 2 : 4;
  for (let round = 0; round < count; round++) {
    await pause(2_000);
    const before = memoryByService(ready);
    const running = all();
    await pause(rampMs + 1_500);
    const samples = [];
    for (let sample = 0; sample < 3; sample++) {
      samples.push(memoryByService(ready));
      await pause((holdMs - 1_500) / 3);
    }
    const result = await running;
    const growth = growthOf(before, samples);
    if (round > 0) rounds.push({ ...result, growth });
    const words = MARKETPLACE.map(
      (service) => `${service} ${(growth[service].pss / streams / KB).toFixed(1)}`,
    );
    bench.say(
      `  ${round === 0 ? 'first time' : `round ${round}`}: ${result.requests} streams, ${result.errors} errors ${JSON.stringify(result.wrong)}; kB a stream: ${words.join(', ')}`,
    );
  }
  const perStream = (service, kind) => rounds.map(({ growth }) => growth[service][kind] / streams / KB);
  const total = (kind) =>
    rounds.map((_, round) => MARKETPLACE.reduce((sum, service) => sum + perStream(service, kind)[round], 0));
  const rows = [
    ...MARKETPLACE.map((service) => [
      service,
      spread(perStream(service, 'pss'), 1),
      spread(perStream(service, 'rss'), 1),
    ]),
    ['all', spread(total('pss'), 1), spread(total('rss'), 1)],
  ];
  const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
  return {
    seconds: `${streams} streams, ${rounds.length} rounds, all streams at once for ${holdMs / 1_000} s`,
    text: `${rounds.map(({ requests }) => requests).join(', ')} streams came to their end, ${errors} did not.\n\n${table(['kB a stream', 'PSS', 'RSS'], rows)}`,
    summary: [
      [
        '2,000 slow streams (a chunk every 100 ms): memory a stream, all processes',
        '≤ 40 kB',
        `${spread(total('pss'), 1)} kB`,
      ],
      ['2,000 slow streams: errors', '0', String(errors)],
    ],
  };
}

const memoryByService = (ready) =>
  Object.fromEntries(MARKETPLACE.map((service) => [service, memoryOf(ready.processes[service] ?? [])]));

/** The most of the samples, less what there was before. */
function growthOf(before, samples) {
  return Object.fromEntries(
    MARKETPLACE.map((service) => {
      const most = (kind) => Math.max(...samples.map((sample) => sample[service][kind]));
      return [service, { pss: most('pss') - before[service].pss, rss: most('rss') - before[service].rss }];
    }),
  );
}
