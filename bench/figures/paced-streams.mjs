import { inTurn, saturating } from '../bench.mjs';
import { MARKS } from '../load.mjs';
import { spread, table } from '../statistics.mjs';

const STREAMS = 1_000;

export const name = 'paced-streams';
export const title = 'A thousand streams at once';
export const about = `${STREAMS.toLocaleString('en-US')} streams at once, each of 50 chunks, one every 10 ms, and a new one as soon as one has ended. Upstream and generator
work on the same cores: what they leave is shared out.`;

export async function run(bench) {
  const systems = [
    await bench.svc(bench.quick ? 1 : 3),
    await bench.bareProxy(),
    await bench.portkey(1),
    await bench.upstreamAlone(),
  ];
  const streams = bench.streams(STREAMS);
  const seconds = bench.seconds(8, 2);
  bench.say(`${streams} paced streams, ${bench.rounds} rounds of ${seconds} s`);
  const options = { connections: streams, rampMs: 500 };
  await bench.warmUp(systems, MARKS.paced, options);
  const results = await inTurn(bench, systems, saturating(MARKS.paced, { ...options, seconds }));
  const [svc, bare] = results;
  const beside = ({ rounds }) =>
    rounds.map(({ perSecond }, round) => svc.rounds[round].perSecond / perSecond);
  const rows = results.map((result) => [
    result.name,
    spread(result.rounds.map(({ perSecond }) => perSecond)),
    spread(result.rounds.map(({ cpu }) => cpu)),
    spread(
      result.rounds.map(({ firstP50Ms }) => firstP50Ms),
      1,
    ),
    spread(result.rounds.map(({ p50Ms }) => p50Ms)),
    result.rounds.reduce((sum, { errors }) => sum + errors, 0),
    result === svc ? '' : `${spread(beside(result), 2)}×`,
  ]);
  const head = [
    'system',
    'streams/s',
    'CPU-µs a stream',
    'first byte p50 ms',
    'stream p50 ms',
    'errors',
    'svc beside it',
  ];
  return {
    seconds: `${streams} streams, ${bench.rounds} rounds of ${seconds} s`,
    text: table(head, rows),
    summary: [
      [
        '1,000 paced streams (10 ms): streams/s beside a bare Fastify proxy',
        '≥ 0.9×',
        `${spread(beside(bare), 2)}×`,
      ],
    ],
  };
}
