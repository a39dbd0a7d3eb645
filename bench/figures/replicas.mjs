import { setTimeout as pause } from 'node:timers/promises';
import { withCpu } from '../bench.mjs';
import { saturate } from '../load.mjs';
import { MARKETPLACE, addDispatch, marketTarget } from '../market.mjs';
import { spread, table } from '../statistics.mjs';

const MOST = 3;
/** A provider's places, and how long each request has one: what it can serve is the one by the other. */
const PLACES = 96;
const CHUNKS = 5;
const PACE_MS = 200;

export const name = 'replicas';
export const title = 'Replicas of dispatch';
export const about = `Three providers, each with ${PLACES} places and a model of its own; a request has its place for 1.2 s (a stream of ${CHUNKS} chunks, one every ${PACE_MS} ms).
Each provider has as many clients as places, and the providers are what limits: two cores could do more. Measured is whether replicas of
dispatch, which share the places, lose any. With n replicas and n providers throughput has to be n times that of one; with all three
providers it has to be the same through one, two or three replicas. What a replica can do by its own processor time does not show
on two cores that everything shares: see CPU-µs above for that.`;

const modelOf = (provider) => `svc/bench-replicas-${provider}@1`;
const MARK = `[bench stream ${CHUNKS} ${PACE_MS}]`;

export async function run(bench) {
  const [market, mock] = [await bench.market(), await bench.mock()];
  const providers = Array.from({ length: MOST }, (_, index) => index + 1);
  await bench.offer(
    providers.map((provider) => ({
      name: `replicas-${provider}`,
      model: modelOf(provider),
      url: mock.url,
      concurrency: PLACES,
    })),
  );
  const seconds = bench.seconds(10, 3);
  const rounds = bench.quick ? 1 : 3;
  const added = [];
  /** Requests per second of the first so many providers together. */
  const measure = async (count) => {
    const targets = providers
      .slice(0, count)
      .map((provider) => marketTarget(market.ready, modelOf(provider), MARK));
    const pids = MARKETPLACE.flatMap((service) => market.ready.processes[service] ?? []);
    return withCpu([...pids, ...added.map(({ pid }) => pid)], async () => {
      const results = await Promise.all(
        targets.map((target) => saturate(target, { connections: PLACES, seconds, rampMs: 400 })),
      );
      const sum = (field) => results.reduce((all, result) => all + result[field], 0);
      return {
        requests: sum('requests'),
        perSecond: sum('perSecond'),
        errors: sum('errors'),
        p50Ms: Math.max(...results.map((result) => result.p50Ms)),
        wrong: results.map(({ wrong }) => wrong),
      };
    });
  };
  bench.say(`1 to ${MOST} dispatch, ${rounds} rounds of ${seconds} s`);
  const grown = [];
  const fixed = [];
  try {
    for (let replicas = 1; replicas <= MOST; replicas++) {
      if (replicas > 1) added.push(await addDispatch(market, bench.node));
      await pause(1_000);
      // What a new process compiles, and its connections, are made here.
      await measure(MOST);
      const [own, all] = [[], []];
      for (let round = 0; round < rounds; round++) {
        own.push(await measure(replicas));
        all.push(replicas === MOST ? own.at(-1) : await measure(MOST));
        bench.say(
          `  ${replicas} dispatch: ${own.at(-1).perSecond.toFixed(0)}/s of ${replicas} providers, ${all.at(-1).perSecond.toFixed(0)}/s of ${MOST}, p50 ${all.at(-1).p50Ms.toFixed(0)} ms, ${all.at(-1).cpu.toFixed(0)} CPU-µs; errors ${own.at(-1).errors} ${all.at(-1).errors} ${JSON.stringify(all.at(-1).wrong)}`,
        );
      }
      grown.push(own);
      fixed.push(all);
    }
  } finally {
    await Promise.all(added.map((replica) => replica.stop()));
  }
  const base = average(grown[0]);
  const times = (results) => results.map(({ perSecond }) => perSecond / base);
  const errors = [...grown, ...fixed].flat().reduce((sum, result) => sum + result.errors, 0);
  const rows = grown.map((results, index) => [
    `${index + 1} dispatch`,
    spread(results.map(({ perSecond }) => perSecond)),
    `${spread(times(results), 2)}×`,
    spread(fixed[index].map(({ perSecond }) => perSecond)),
    spread(fixed[index].map(({ p50Ms }) => p50Ms)),
    spread(fixed[index].map(({ cpu }) => cpu)),
  ]);
  const head = [
    '',
    'as many providers: streams/s',
    'beside one',
    `${MOST} providers: streams/s`,
    'a stream, p50 ms',
    'CPU-µs',
  ];
  return {
    seconds: `${rounds} rounds of ${seconds} s`,
    text: `${errors} errors.\n\n${table(head, rows)}`,
    summary: [
      [
        '1 → 2 → 3 dispatch with a provider-bound load',
        'linear within 10 %',
        `1 → ${grown
          .slice(1)
          .map((results) => spread(times(results), 2))
          .join(' → ')}`,
      ],
    ],
  };
}

const average = (results) => results.reduce((sum, { perSecond }) => sum + perSecond, 0) / results.length;
