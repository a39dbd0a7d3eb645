/**
 * `npm run faults`: the tests of faults with the numbers of a night. Each runs alone, one after the other, with a seed that
 * is printed; the table at the end says what ran. See docs/faults.md.
 *   --cycles N       deaths of billing under load (default 100)
 *   --sequences N    random sequences against the ledger's model (100,000)
 *   --oversell N     rounds of overselling one wallet (1,000)
 *   --reorgs N       reorganised chains (50)
 *   --idempotency N  rounds of 100 requests under one idempotency key (200)
 *   --others N       times that outages and deliveries are run, each time with another seed (1)
 *   --seed N         instead of random ones
 *   --only NAME      only the tests whose name holds it
 * 0 leaves a test out.
 */
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root, stateDir } from './prepare.mjs';
import { say, step } from './progress.mjs';
import { endOnSignal, run } from './run.mjs';
import { occupy } from './stack-lock.mjs';

/** How often each is done, unless told. */
const counts = { cycles: 100, sequences: 100_000, oversell: 1_000, reorgs: 50, idempotency: 200, others: 1 };
const options = readOptions();

/** Tests by name: how many, of what; the specs; the variables for the number and the seed. */
const tests = [
  ['crash cycles', options.cycles, 'deaths', 'faults/crash-cycles', 'FAULT_CYCLES', 'FAULT_SEED'],
  ...Array.from({ length: Number(options.others) }, () => [
    ['outages', '1', 'run', 'faults/outages', undefined, 'FAULT_SEED'],
    ['deliveries', '1', 'run', 'faults/deliveries', undefined, 'FAULT_SEED'],
  ]).flat(),
  ['reorganisations', options.reorgs, 'seeds', 'reorganisation.integration', 'REORG_SEEDS', undefined],
  ['oversell', options.oversell, 'rounds', 'ledger/oversell', 'OVERSELL_ROUNDS', 'LEDGER_SEED'],
  ['idempotency', options.idempotency, 'rounds of 100', 'idempotency.e2e', 'IDEMPOTENCY_ROUNDS', undefined],
  ['model check', options.sequences, 'sequences', 'ledger/ledger-model', 'LEDGER_SEQUENCES', 'LEDGER_SEED'],
];

endOnSignal();
occupy(stateDir, 'npm-run-faults');
const rows = [];
/** What the specs say about what they did, a line each. */
const reportFile = join(stateDir, 'test', 'faults.jsonl');
mkdirSync(join(stateDir, 'test'), { recursive: true });
rmSync(reportFile, { force: true });
try {
  await prepare();
  for (const test of tests)
    if (test[0].includes(options.only) && Number(test[1]) > 0) rows.push(await check(test));
} catch (error) {
  say(`\n  ${error.message}`);
  process.exitCode = 1;
}
say(`\n| test | did | seed | seconds | result |\n| --- | ---: | ---: | ---: | --- |`);
for (const row of rows) say(`| ${row.join(' | ')} |`);
if (existsSync(reportFile)) say(`\n${readFileSync(reportFile, 'utf8').trimEnd()}`);

/** Ends the tool with 2 where something does not fit: a mistyped count would leave its test out in silence. */
function readOptions() {
  const names = Object.keys(counts);
  const count = (name) => [name, { type: 'string', default: String(counts[name]) }];
  const usage = `  npm run faults -- [--${names.join(' N] [--')} N] [--seed N] [--only NAME]`;
  try {
    const { values } = parseArgs({
      options: {
        ...Object.fromEntries(names.map(count)),
        seed: { type: 'string' },
        only: { type: 'string', default: '' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) {
      say(usage);
      process.exit(0);
    }
    const wrong = [...names, 'seed'].find((name) => !/^\d*$/.test(values[name] ?? ''));
    if (wrong !== undefined) throw new Error(`--${wrong} must be a whole number`);
    return values;
  } catch (error) {
    say(`  ${error.message.split('\n')[0]}\n${usage}`);
    process.exit(2);
  }
}

/** @returns a row of the table; a failure is shown at once, and ends the tool with 1 */
async function check([name, count, unit, pattern, countVariable, seedVariable]) {
  const seed = seedVariable === undefined ? '' : String(options.seed ?? randomInt(2 ** 31));
  const env = {
    ...(countVariable && { [countVariable]: count }),
    ...(seedVariable && { [seedVariable]: seed }),
  };
  const started = performance.now();
  const passed = await step(`${name}, ${Number(count).toLocaleString('en')} ${unit}`, () =>
    jest(pattern, { ...env, FAULT_REPORT: reportFile }),
  ).catch((error) => {
    say(`\n${error.message}\n  again: ${seedVariable ?? 'no seed'}=${seed}\n`);
    process.exitCode = 1;
    return undefined;
  });
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  const did = `${Number(count).toLocaleString('en')} ${unit}`;
  return [name, did, seed || '-', seconds, passed === undefined ? 'FAILED' : `${passed} passed`];
}

/** @returns how many tests passed @throws Error with what jest says when one did not */
async function jest(pattern, env) {
  const resultFile = join(stateDir, 'test', 'faults-results.json');
  rmSync(resultFile, { force: true });
  const project = pattern.includes('e2e') ? 'e2e' : 'integration';
  const args = ['--selectProjects', project, '--testPathPatterns', pattern, '--runInBand', '--ci'];
  const { code, output } = await run(
    process.execPath,
    [join(root, 'node_modules/jest/bin/jest.js'), ...args, '--json', `--outputFile=${resultFile}`],
    { cwd: root, env },
  );
  if (code !== 0) throw new Error(output.trimEnd());
  return JSON.parse(readFileSync(resultFile, 'utf8')).numPassedTests;
}
