import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './prepare.mjs';
import { endRunning, run } from './run.mjs';

const reporter = fileURLToPath(new URL('jest-progress.mjs', import.meta.url));
/** The longest spec file takes some three minutes on two cores; a machine that needs so much more has none to spare. */
const longestStandstillMs = 20 * 60_000;
const looksEveryMs = 1_000;
/** For jest to stop the servers that it started; where its own process spins, the next run ends them. */
const endsWithinMs = 30_000;

/**
 * Runs jest to its end, or ends it once it neither began nor ended a spec file for too long: one that spins
 * for ever is not ended by its own time limit.
 * @param args jest's own
 * @param options.progressFile written anew
 * @returns {Promise<number>} jest's exit code
 * @throws Error naming the spec files that were under way
 */
export async function runJest(
  args,
  { progressFile, cwd = root, standstillMs = longestStandstillMs, killAfterMs = endsWithinMs },
) {
  writeFileSync(progressFile, '');
  let standstill;
  let lastMs = 0;
  let stoodMs = 0;
  // Counted and not taken from the clock, which goes on while the machine sleeps.
  const watch = setInterval(() => {
    const { mtimeMs } = statSync(progressFile);
    stoodMs = mtimeMs === lastMs ? stoodMs + looksEveryMs : 0;
    lastMs = mtimeMs;
    if (stoodMs < standstillMs) return;
    if (standstill === undefined) endRunning('SIGTERM');
    standstill ??= underWay(progressFile, cwd);
    if (stoodMs >= standstillMs + killAfterMs) endRunning('SIGKILL');
  }, looksEveryMs);
  try {
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const { code } = await run(
      process.execPath,
      [jest, ...args, '--reporters=default', `--reporters=${reporter}`],
      {
        cwd,
        env: { JEST_PROGRESS_FILE: progressFile },
        showErrors: true,
      },
    );
    if (standstill === undefined) return code;
    throw new Error(
      `no spec file began or ended for ${standstillMs / 60_000} minutes; under way: ${standstill}`,
    );
  } finally {
    clearInterval(watch);
  }
}

function underWay(progressFile, cwd) {
  const files = readFileSync(progressFile, 'utf8').split('\n').filter(Boolean);
  return files.map((file) => relative(cwd, file)).join(', ') || 'none, but its set-up or its end';
}
