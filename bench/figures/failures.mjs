import { MARKS, exhaust } from '../load.mjs';
import { marketTarget, startMock } from '../market.mjs';
import { metricsOf, samplesOf } from '../proc.mjs';
import { FAULT_NAMES } from '../provider-faults.mjs';
import { percentile, spread, table } from '../statistics.mjs';

const REQUESTS = 10_000;
const CONNECTIONS = 32;
const CONCURRENCY = 64;
const FIRST_TOKEN_TIMEOUT_MS = 2_000;
const MODELS = { good: 'svc/bench-good@1', failing: 'svc/bench-failing@1' };

export const name = 'failures';
export const title = 'One of three providers fails half its requests';
export const about = `A model with three providers, of which the cheapest fails every second request, in turn by ${FAULT_NAMES.join(', ')}; beside it, by turns, a model with
three good providers at the same prices. Half of the requests are plain, half are streams; ${CONNECTIONS} connections; the first token may take ${FIRST_TOKEN_TIMEOUT_MS / 1_000} s, which is what a provider that hangs
costs. A failure that a client sees is anything but a whole, right reply. Attempts are dispatch's own count; what a breaker or a bad record
keeps from being asked fails nobody.`;

export async function run(bench) {
  const market = await bench.market();
  const engine = await bench.engine();
  const mocks = await Promise.all(
    [1, 2, 3].map((provider) => bench.part(`provider-${provider}`, () => startMock(engine))),
  );
  const failing = await bench.part('failing-provider', () => startMock(engine, ['--faults']));
  // It is the cheapest, so that it is asked first as long as anybody trusts it.
  const prices = ['100', '100', '90'];
  const terms = { concurrency: CONCURRENCY, firstTokenTimeoutMs: FIRST_TOKEN_TIMEOUT_MS };
  await bench.offer([
    ...mocks.map(({ url }, at) => ({
      name: `good-${at + 1}`,
      model: MODELS.good,
      url,
      price: prices[at],
      ...terms,
    })),
    ...[mocks[0], mocks[1], failing].map(({ url }, at) => ({
      name: `failing-${at + 1}`,
      model: MODELS.failing,
      url,
      price: prices[at],
      ...terms,
    })),
  ]);
  const rounds = 3;
  const requests = Math.ceil(bench.seconds(REQUESTS, 1_500) / rounds / 2);
  bench.say(`failures, ${rounds} rounds of ${2 * requests} requests each way`);
  const results = { good: [], failing: [] };
  // The failing one is met unprepared: only the good ones are asked beforehand.
  await ask(market.ready, MODELS.good, 500);
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 === 0 ? ['good', 'failing'] : ['failing', 'good']) {
      const before = await countsOf(market.ready);
      const result = await ask(market.ready, MODELS[kind], requests);
      const counts = difference(await countsOf(market.ready), before);
      results[kind].push({ ...result, counts });
      bench.say(`  ${kind}: ${wordsOf(result)}; ${JSON.stringify(counts)}`);
    }
  }
  return report(results, rounds);
}

/** Half of them plain, half streams. */
async function ask(ready, model, requests) {
  const [plain, burst] = await Promise.all(
    [MARKS.plain, MARKS.burst].map((mark) =>
      exhaust(marketTarget(ready, model, mark), { connections: CONNECTIONS / 2, requests }),
    ),
  );
  return { plain, burst, errors: plain.errors + burst.errors, wrong: [plain.wrong, burst.wrong] };
}

/** Dispatch's counts of attempts by outcome, and of breakers by the state they went into; of all its processes. */
async function countsOf(ready) {
  const counts = {};
  const texts = await Promise.all(ready.processes.dispatch.map(metricsOf));
  const add = (metric, label, words) => {
    for (const { labels, value } of texts.flatMap((text) => samplesOf(text, metric))) {
      const name = words + new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1];
      counts[name] = (counts[name] ?? 0) + value;
    }
  };
  add('svc_dispatch_attempts_total', 'outcome', '');
  add('svc_dispatch_breaker_changes_total', 'state', 'breaker ');
  return counts;
}

const difference = (after, before) =>
  Object.fromEntries(
    Object.entries(after)
      .map(([outcome, count]) => [outcome, count - (before[outcome] ?? 0)])
      .filter(([, count]) => count > 0),
  );

const wordsOf = ({ plain, burst, errors, wrong }) =>
  `${(plain.perSecond + burst.perSecond).toFixed(0)}/s, plain p50 ${plain.p50Ms.toFixed(1)}, p99 ${plain.p99Ms.toFixed(1)} ms, stream p99 ${burst.p99Ms.toFixed(1)} ms, ${errors} errors${errors ? ` ${JSON.stringify(wrong)}` : ''}`;

function report(results, rounds) {
  const rowsOf = (kind, words) =>
    ['plain', 'burst'].map((mode) => [
      `${words}: ${mode === 'plain' ? 'plain' : 'streams'}`,
      results[kind].reduce((sum, result) => sum + result[mode].requests, 0).toLocaleString('en-US'),
      results[kind].reduce((sum, result) => sum + result[mode].errors, 0),
      ...['firstP50Ms', 'firstP99Ms', 'p50Ms', 'p99Ms'].map((field) =>
        spread(
          results[kind].map((result) => result[mode][field]),
          1,
        ),
      ),
    ]);
  // Of all requests of all rounds: what it costs to find out about a provider falls on the first ones.
  const overall = (kind, share) =>
    percentile(
      results[kind]
        .flatMap(({ plain, burst }) => [...plain.latencies, ...burst.latencies])
        .sort((a, b) => a - b),
      share,
    );
  const added = (share) => `${(overall('failing', share) - overall('good', share)).toFixed(1)} ms`;
  const errors = results.failing.reduce((sum, result) => sum + result.errors, 0);
  const total = results.failing.reduce(
    (sum, { plain, burst }) => sum + plain.requests + burst.requests,
    errors,
  );
  const counts = {};
  for (const result of results.failing)
    for (const [word, count] of Object.entries(result.counts)) counts[word] = (counts[word] ?? 0) + count;
  const counted = Object.entries(counts).map(([word, count]) => `${word} ${count.toLocaleString('en-US')}`);
  const head = [
    'providers',
    'requests',
    'failures seen',
    'first byte p50 ms',
    'first byte p99 ms',
    'p50 ms',
    'p99 ms',
  ];
  return {
    seconds: `${rounds} rounds`,
    text:
      `With the failing provider, by outcome of the attempt: ${counted.join(', ')}. Added, all requests of all rounds taken together: p50 ${added(0.5)}, p99 ${added(0.99)}; the slowest took ${overall('failing', 1).toFixed(0)} ms (${overall('good', 1).toFixed(0)} ms with good ones).\n\n` +
      table(head, [...rowsOf('good', 'three good'), ...rowsOf('failing', 'one of three failing')]),
    summary: [
      [
        `${total.toLocaleString('en-US')} requests, one of three providers failing half: failures seen`,
        '0',
        String(errors),
      ],
      ['the same: added p50, p99', 'stated', `${added(0.5)}, ${added(0.99)}`],
    ],
  };
}
