/**
 * `npm test`: installs what is missing, builds what changed and runs every check. With names (`static`, `unit`,
 * `integration`, `e2e`) only those. The last line is `N passed, M failed`; a static check counts as one test.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bin, prepare, root, stateDir } from './prepare.mjs';
import { say, step } from './progress.mjs';
import { endOnSignal, run } from './run.mjs';
import { runJest } from './run-jest.mjs';
import { occupy } from './stack-lock.mjs';

const parts = { static: runStatic, unit: jest('unit'), integration: jest('integration'), e2e: jest('e2e') };
const totals = { passed: 0, failed: 0, skipped: 0 };

endOnSignal();
occupy(stateDir, 'npm-test');
const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in parts));
if (unknown.length > 0) {
  say(`  unknown part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
  process.exitCode = 1;
} else {
  await main(names.length > 0 ? names : Object.keys(parts));
}

async function main(chosen) {
  try {
    await prepare();
    for (const name of chosen) await parts[name]();
  } catch (error) {
    say(`\n  ${error.message}`);
    totals.failed += 1;
  }
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  say(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
  process.exitCode = totals.failed > 0 ? 1 : 0;
}

/** The type check beside the two others: together they keep two cores busy. */
async function runStatic() {
  const format = async () => check('format', bin('prettier'), ['--check', '--log-level', 'warn', '.']);
  const types = async () => check('types', bin('tsc'), ['--noEmit', '-p', 'tsconfig.json']);
  const page = async () => check('types of the portal', bin('tsc'), ['--noEmit', '-p', 'apps/portal']);
  const lint = async () => check('lint', bin('eslint'), ['.', '--max-warnings', '0']);
  await Promise.all([lint(), types().then(page).then(format)]);
}

async function check(title, command, args) {
  try {
    await step(title, async () => {
      const { code, output } = await run(command, args, { cwd: root });
      if (code !== 0) throw new Error(output.trimEnd());
    });
    totals.passed += 1;
  } catch (error) {
    say(`\n${error.message}\n`);
    totals.failed += 1;
  }
}

/** A jest project; its reporter shows each file as it is done. */
function jest(project) {
  return async () => {
    const resultFile = join(stateDir, 'test', `${project}-results.json`);
    mkdirSync(join(stateDir, 'test'), { recursive: true });
    rmSync(resultFile, { force: true });
    const workers = project === 'e2e' ? ['--runInBand'] : ['--maxWorkers=2'];
    const args = ['--selectProjects', project, ...workers, '--ci', '--json', `--outputFile=${resultFile}`];
    say(`  … ${project}`);
    const failedBefore = totals.failed;
    try {
      await step(project, async () => {
        const code = await runJest(args, { progressFile: join(stateDir, 'test', `${project}-under-way`) });
        addResults(JSON.parse(readFileSync(resultFile, 'utf8')));
        // For instance when tearing down failed: no test says so.
        if (code !== 0 && totals.failed === failedBefore) totals.failed += 1;
        if (totals.failed > failedBefore) throw new Error(`${project} failed`);
      });
    } catch (error) {
      if (totals.failed === failedBefore) {
        // No result file: jest itself, or its global set-up, did not get through.
        say(`  ${project} crashed: ${error.message}`);
        totals.failed += 1;
      }
    }
  };
}

function addResults(results) {
  totals.passed += results.numPassedTests;
  // A suite that does not even load has no tests to fail.
  totals.failed += results.numFailedTests + results.numRuntimeErrorTestSuites;
  totals.skipped += results.numPendingTests + results.numTodoTests;
}
