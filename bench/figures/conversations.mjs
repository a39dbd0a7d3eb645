import { inTurn } from '../bench.mjs';
import { MARKS, saturate } from '../load.mjs';
import { conversationOf } from '../market.mjs';
import { spread, table } from '../statistics.mjs';

const CONNECTIONS = 16;
const LENGTHS = [1, 20, 200];

export const name = 'conversations';
export const title = 'Long conversations';
export const about = `Plain requests with conversations of ${LENGTHS.join(', ')} messages, 500 bytes each but the last, over ${CONNECTIONS} connections: what a request costs of all svc's
processes. The ratio is to the shortest of the same round.`;

export async function run(bench) {
  const svc = await bench.svc();
  const seconds = bench.seconds(5, 1);
  const scenarios = LENGTHS.map((length) => ({
    name: `${length} ${length === 1 ? 'message' : 'messages'}`,
    pids: svc.pids,
    request: svc.target(MARKS.plain, conversationOf(length - 1)),
  }));
  const load = (forSeconds) => (scenario) =>
    saturate(scenario.request, { connections: CONNECTIONS, seconds: forSeconds });
  bench.say(`conversations, ${bench.rounds} rounds of ${seconds} s`);
  for (const scenario of scenarios) await load(1)(scenario);
  const results = await inTurn(bench, scenarios, load(seconds));
  const ratios = ({ rounds }) => rounds.map(({ cpu }, round) => cpu / results[0].rounds[round].cpu);
  const rows = results.map((result, index) => [
    result.name,
    (scenarios[index].request.body.length / 1_000).toFixed(1),
    spread(result.rounds.map(({ cpu }) => cpu)),
    spread(ratios(result), 2),
    spread(result.rounds.map(({ perSecond }) => perSecond)),
    spread(
      result.rounds.map(({ p50Ms }) => p50Ms),
      1,
    ),
    result.rounds.reduce((sum, { errors }) => sum + errors, 0),
  ]);
  return {
    seconds: `${bench.rounds} rounds of ${seconds} s`,
    text: table(['conversation', 'kB', 'CPU-µs', 'beside 1 message', 'per second', 'p50 ms', 'errors'], rows),
    summary: [
      [
        '200-message conversation, 100 kB, beside a short one: CPU',
        '≤ 3×',
        `${spread(ratios(results.at(-1)), 2)}×`,
      ],
    ],
  };
}
