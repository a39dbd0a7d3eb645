/* global AbortController */
/** `npm start`: installs what is missing, builds what changed, and runs a marketplace until it is told to stop. */
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { stateDirOf, takeEnvironment } from './environments.mjs';
import { prepare, root } from './prepare.mjs';
import { progress, say } from './progress.mjs';
import { endRunning } from './run.mjs';
import { endOrphans, lock, unlock } from './stack-lock.mjs';
import { readOptions, usage } from './start-options.mjs';
import { onStopSignal } from './stop-signals.mjs';

const app = join(root, 'apps/local-stack/dist/index.js');
const startedAtMs = performance.now();
const stop = new AbortController();

// Both npm and the terminal may pass a signal on, so it can come twice; the first one counts.
onStopSignal((signal) => {
  if (stop.signal.aborted) return;
  say(`\n  stopping (${signal})`);
  stop.abort(new Error(signal));
  endRunning();
});
// A terminal that is gone must not end the ordered stop.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

process.exitCode = await main();

async function main() {
  try {
    const args = process.argv.slice(2);
    if (args.includes('--help') || args.includes('-h')) return help();
    const { environment = 'testnet', rest } = takeEnvironment(args);
    const commandLine = readOptions(rest);
    const stateDir = stateDirOf(environment);
    lock(stateDir);
    return await start(environment, stateDir, commandLine);
  } catch (error) {
    say(`  ${error.message}`);
    return 1;
  }
}

function help() {
  say(usage);
  return 0;
}

async function start(environment, stateDir, commandLine) {
  try {
    rmSync(join(stateDir, 'ready.json'), { force: true });
    const orphans = await endOrphans(stateDir);
    if (orphans > 0) say(`  ended ${orphans} processes that a former start had left`);
    await prepare(stop.signal);
    stop.signal.throwIfAborted();
    const { runStack } = createRequire(import.meta.url)(app);
    return await runStack({
      ...{ root, environment, stateDir, commandLine },
      ...{ progress, signal: stop.signal, startedAtMs },
    });
  } catch (error) {
    if (stop.signal.aborted) return 0;
    say(`\n  ${error.message}`);
    return 1;
  } finally {
    unlock(stateDir);
  }
}
