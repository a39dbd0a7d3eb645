import { MARKS, pace, saturate } from '../load.mjs';
import { metricsOf, samplesOf } from '../proc.mjs';
import { spread, table } from '../statistics.mjs';

const SERVICES = ['gateway', 'cortex', 'billing', 'dispatch', 'catalog'];
/** The monitor asks to be woken so often, and counts from one wake-up to the next. */
const RESOLUTION_MS = 10;

export const name = 'event-loop';
export const title = 'Event loops at half load';
export const about = `Plain requests and burst streams by halves, together half of what saturated the marketplace just before. Each service measures its
own event loop (\`nodejs_eventloop_lag_*\` of \`/metrics\`, read for the round alone): how much later than asked for a wake-up every ${RESOLUTION_MS} ms came. In this is
what the machine's other processes take of two cores.`;

export async function run(bench) {
  const svc = await bench.svc();
  const { ready } = await bench.market();
  const seconds = bench.seconds(10, 2);
  const halves = [svc.target(MARKS.plain), svc.target(MARKS.burst)];
  const rates = await Promise.all(
    halves.map((target) => saturate(target, { connections: 32, seconds: bench.seconds(5, 2) })),
  );
  const perSecond = rates.map((rate) => Math.round(rate.perSecond / 2));
  bench.say(`event loops at ${perSecond.join(' + ')} requests/s, ${bench.rounds} rounds of ${seconds} s`);
  const delays = Object.fromEntries(SERVICES.map((service) => [service, { p50: [], p99: [], max: [] }]));
  let errors = 0;
  for (let round = 0; round < bench.rounds; round++) {
    const load = halves.map((target, index) => pace(target, { perSecond: perSecond[index], seconds }));
    // Reading begins a new count: the beginning of the load is left out.
    await Promise.all(SERVICES.map((service) => readDelays(ready, service)));
    errors += (await Promise.all(load)).reduce((sum, result) => sum + result.errors, 0);
    for (const service of SERVICES) {
      const read = await readDelays(ready, service);
      for (const figure of ['p50', 'p99', 'max']) delays[service][figure].push(read[figure]);
    }
    bench.say(
      `  ${SERVICES.map((service) => `${service} ${delays[service].p99.at(-1).toFixed(1)} ms`).join(', ')}`,
    );
  }
  const worst = Array.from({ length: bench.rounds }, (_, round) =>
    Math.max(...SERVICES.map((service) => delays[service].p99[round])),
  );
  const rows = SERVICES.map((service) => [
    service,
    ...['p50', 'p99', 'max'].map((figure) => spread(delays[service][figure], 1)),
  ]);
  return {
    seconds: `${bench.rounds} rounds of ${seconds} s`,
    text: `${perSecond[0]} plain requests and ${perSecond[1]} streams a second; ${errors} errors.\n\n${table(['service', 'p50 ms', 'p99 ms', 'most ms'], rows)}`,
    summary: [['event loop of any service at half load, p99 delay', '≤ 10 ms', `${spread(worst, 1)} ms`]],
  };
}

/** The delays since they were last read; the largest of a service's processes. */
async function readDelays(ready, service) {
  const texts = await Promise.all(ready.processes[service].map(metricsOf));
  const most = (figure) =>
    Math.max(
      ...texts.map((text) => {
        const [sample] = samplesOf(text, `nodejs_eventloop_lag_${figure}_seconds`);
        return Math.max(0, sample.value * 1_000 - RESOLUTION_MS);
      }),
    );
  return { p50: most('p50'), p99: most('p99'), max: most('max') };
}
