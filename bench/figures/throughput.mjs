import { inTurn, saturating } from '../bench.mjs';
import { MARKS } from '../load.mjs';
import { spread, table } from '../statistics.mjs';

const CONNECTIONS = 64;

export const name = 'throughput';
export const title = 'Throughput beside others';
export const about = `${CONNECTIONS} connections, each asking again as soon as it is answered: replies of about 600 bytes (plain), and streams of 50 small
chunks without a pause (burst). The systems take turns in each round, over the same mock upstream, from the same generator. svc is all its
processes with NATS and PostgreSQL, with every check on and each charge durable before the reply ends; the others charge nobody.
CPU-µs are the system's own, per request, without upstream and generator. The ratios are of the same round.`;

const pick = (rounds, field) => rounds.map((round) => round[field]);
const ratios = (own, others) => own.map(({ perSecond }, round) => perSecond / others[round].perSecond);
const errorsOf = (rounds) => rounds.reduce((sum, { errors }) => sum + errors, 0);

export async function run(bench) {
  const both = [
    await bench.svc(),
    await bench.portkey(1),
    await bench.portkey(2),
    await bench.bareProxy(),
    await bench.upstreamAlone(),
  ];
  const systemsOf = { plain: [...both, await bench.bareWay()], burst: both };
  const seconds = bench.seconds(5, 1);
  const measured = {};
  for (const mode of Object.keys(systemsOf)) {
    bench.say(`${mode}, ${bench.rounds} rounds of ${seconds} s`);
    const systems = systemsOf[mode];
    await bench.warmUp(systems, MARKS[mode], { connections: CONNECTIONS });
    const load = saturating(MARKS[mode], { connections: CONNECTIONS, seconds });
    measured[mode] = await inTurn(bench, systems, load);
  }
  const { plain, burst } = measured;
  const rowOf = (mode, index) => {
    const { rounds } = measured[mode][index];
    const besides = ratios(measured[mode][0].rounds, rounds);
    return [
      `${measured[mode][index].name}: ${mode}`,
      spread(pick(rounds, 'perSecond')),
      spread(pick(rounds, 'cpu')),
      spread(pick(rounds, 'p50Ms'), 1),
      spread(pick(rounds, 'p99Ms'), 1),
      errorsOf(rounds),
      index === 0 ? '' : `${spread(besides, 2)}×`,
    ];
  };
  const rows = Object.keys(systemsOf).flatMap((mode) =>
    systemsOf[mode].map((_, index) => rowOf(mode, index)),
  );
  const besidePortkey = (mode, index) =>
    `${spread(ratios(measured[mode][0].rounds, measured[mode][index].rounds), 2)}×`;
  return {
    seconds: `${bench.rounds} rounds of ${seconds} s`,
    text: table(['system', 'per second', 'CPU-µs', 'p50 ms', 'p99 ms', 'errors', 'svc beside it'], rows),
    summary: [
      ['plain throughput beside Portkey, one process', '≥ 2.5×', besidePortkey('plain', 1)],
      ['plain throughput beside Portkey, two processes', '≥ 1.7×', besidePortkey('plain', 2)],
      ['burst streams beside Portkey, one process', '≥ 2×', besidePortkey('burst', 1)],
      ['CPU-µs per plain request at saturation', '≤ 250', spread(pick(plain[0].rounds, 'cpu'))],
      ['CPU-µs per burst stream at saturation', '≤ 500', spread(pick(burst[0].rounds, 'cpu'))],
    ],
  };
}
