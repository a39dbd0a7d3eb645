/**
 * `npm run reset`: empties the state directories of both environments, or with `--environment NAME` of that one, so that the next
 * start begins afresh.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { environments, stateDirOf, takeEnvironment } from './environments.mjs';
import { say } from './progress.mjs';
import { endOrphans, lock } from './stack-lock.mjs';

try {
  const { environment } = takeEnvironment(process.argv.slice(2));
  const chosen = environment === undefined ? environments : [environment];
  const directories = [...new Set(chosen.map(stateDirOf))];
  // Also a start that begins at this moment is kept out.
  for (const directory of directories) lock(directory);
  for (const directory of directories) {
    await endOrphans(directory);
    empty(directory);
    say(`  ${directory} is empty`);
  }
} catch (error) {
  say(`  ${error.message}`);
  process.exitCode = 1;
}

/** One environment's directory may lie in another's: it stays, with its lock, until its own turn. */
function empty(directory) {
  const others = environments.map(stateDirOf).filter((other) => other !== directory);
  for (const entry of readdirSync(directory)) {
    const path = join(directory, entry);
    if (others.includes(path)) continue;
    rmSync(path, { recursive: true, force: true });
  }
}
