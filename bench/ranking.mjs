// npm run bench:ranking: cortex's ranking, as built, in a simulated market, beside others. Nothing is started; figures follow from the seeds.
//   --seeds N    markets for each scenario (default 10)
//   --tune       vary the constants of the ranking one by one instead, in other markets
//   --write      put the tables into docs/routing.md
import { readOptions } from './options.mjs';
import { writePart } from './page-parts.mjs';
import { POLICIES, TUNING, svc } from './ranking-policies.mjs';
import { SCENARIOS, marketOf } from './ranking-scenarios.mjs';
import { CORTEXES, DEADLINE_MS, simulate } from './ranking-simulation.mjs';
import { table } from './statistics.mjs';

const options = readOptions({
  command: 'npm run bench:ranking',
  numbers: { seeds: 10 },
  others: { tune: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
/** Markets in which constants are chosen are not those in which the choice is shown. */
const firstSeed = options.tune ? 1_001 : 1;
const seeds = Array.from({ length: options.seeds }, (_, index) => firstSeed + index);

const FIGURES = [
  ['goodput', `first token within ${DEADLINE_MS / 1_000} s, %`, 2],
  ['unserved', 'no place, %', 2],
  ['cost', 'cost, times the cheapest', 3],
  ['p50', 'p50 ms', 0],
  ['p99', 'p99 ms', 0],
  ['failovers', 'failed attempts, % of requests', 2],
];
const HEAD = ['', ...FIGURES.map(([, words]) => words)];

/** What is tried of each constant, the others as they are. */
const VARIANTS = {
  sharpness: [0, 2, 4, 6, 8, 12, 16, Infinity],
  roominess: [0, 0.25, 0.5, 0.75, 1],
  errorBurden: [0, 2, 4, 8, 16],
  loadBurden: [0, 0.5, 1, 2, 4],
  slownessBurden: [0, 1, 2, 4, 8],
  planned: [true, false],
};

function resultsOf(scenario, policy) {
  return seeds.map((seed) => {
    const market = marketOf(scenario, seed);
    const instances = Array.from({ length: CORTEXES }, (_, index) =>
      policy(market.offers, seed * 100 + index),
    );
    return simulate(market, instances);
  });
}

/** Mean and standard deviation over the seeds. */
function spreadOf(results, figure) {
  const values = results.map((result) => result[figure]);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / Math.max(values.length - 1, 1)) };
}

function rowOf(name, results) {
  const cells = FIGURES.map(([figure, , digits]) => {
    const { mean, deviation } = spreadOf(results, figure);
    return `${mean.toFixed(digits)} ± ${deviation.toFixed(digits)}`;
  });
  return [name, ...cells];
}

function compare() {
  const parts = Object.keys(SCENARIOS).map((scenario) => {
    const rows = Object.entries(POLICIES).map(([name, policy]) => rowOf(name, resultsOf(scenario, policy)));
    const part = `**${scenario}**\n\n${table(HEAD, rows)}`;
    console.log(`${part}\n`);
    return part;
  });
  return [`Means ± standard deviations over ${seeds.length} markets.`, ...parts].join('\n\n');
}

function tune() {
  const parts = Object.entries(VARIANTS).map(([constant, values]) => {
    const rows = values.map((value) => {
      const results = Object.keys(SCENARIOS).flatMap((scenario) =>
        resultsOf(scenario, svc({ [constant]: value })),
      );
      const used = value === (TUNING[constant] ?? true) ? ' (used)' : '';
      return rowOf(`\`${constant}\` ${value}${used}`, results);
    });
    const part = table(HEAD, rows);
    console.log(`${part}\n`);
    return part;
  });
  return [
    `Means ± standard deviations over all scenarios, ${seeds.length} other markets each.`,
    ...parts,
  ].join('\n\n');
}

const text = options.tune ? tune() : compare();
if (options.write) writePart('docs/routing.md', options.tune ? 'bench:ranking-tune' : 'bench:ranking', text);
