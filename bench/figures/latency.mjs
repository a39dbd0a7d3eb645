import { inTurn, pacing } from '../bench.mjs';
import { MARKS } from '../load.mjs';
import { spread, table } from '../statistics.mjs';

const PER_SECOND = 200;
const WARM_UP_CONNECTIONS = 64;

export const name = 'latency';
export const title = 'Added latency';
export const about = `${PER_SECOND} plain requests a second, sent on schedule whether earlier ones are answered or not, after as many as each
system answers. What is added is the figure less the mock upstream's own of the same round.`;

export async function run(bench) {
  const systems = [
    await bench.svc(),
    await bench.portkey(1),
    await bench.bareProxy(),
    await bench.bareWay(),
    await bench.upstreamAlone(),
  ];
  const seconds = bench.seconds(10, 2);
  bench.say(`${PER_SECOND} requests/s, ${bench.rounds} rounds of ${seconds} s`);
  await bench.warmUp(systems, MARKS.plain, { connections: WARM_UP_CONNECTIONS });
  const results = await inTurn(bench, systems, pacing(MARKS.plain, { perSecond: PER_SECOND, seconds }));
  const own = results.at(-1).rounds;
  const added = ({ rounds }, field) => rounds.map((round, index) => round[field] - own[index][field]);
  const rows = results.map((result) => {
    const { rounds } = result;
    return [
      result.name,
      ...['p50Ms', 'p99Ms'].map((field) =>
        spread(
          rounds.map((round) => round[field]),
          2,
        ),
      ),
      ...['p50Ms', 'p99Ms'].map((field) => (rounds === own ? '' : spread(added(result, field), 2))),
      rounds.reduce((sum, { errors }) => sum + errors, 0),
    ];
  });
  const [svc] = results;
  return {
    seconds: `${bench.rounds} rounds of ${seconds} s`,
    text: table(['system', 'p50 ms', 'p99 ms', 'added p50 ms', 'added p99 ms', 'errors'], rows),
    summary: [
      [`added latency at ${PER_SECOND} requests/s, p50`, '≤ 2.5 ms', `${spread(added(svc, 'p50Ms'), 2)} ms`],
      [`added latency at ${PER_SECOND} requests/s, p99`, '≤ 6 ms', `${spread(added(svc, 'p99Ms'), 2)} ms`],
    ],
  };
}
