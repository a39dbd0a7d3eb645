/**
 * `npm run reset`: empties the state directories of both environments, or with `--environment NAME` of that one, so that the next
 * start begins afresh.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { environments, stateDirOf, takeEnvironment } from './environments.mjs';
import { say } from './progress.mjs';
import { endOrphans, lock, lockedBelow, unlock } from './stack-lock.mjs';
import { outliveReaders } from './standard-output.mjs';

const usage = 'npm run reset [-- --environment NAME]';

outliveReaders(1);
try {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) help();
  else await reset(args);
} catch (error) {
  say(`  ${error.message}`);
  process.exitCode = 1;
}

function help() {
  say(usage);
  say('  --environment NAME      only testnet or production; without it both are emptied');
}

async function reset(args) {
  const { environment, rest } = takeEnvironment(args);
  refuseUnknown(rest);
  const chosen = environment === undefined ? environments : [environment];
  const directories = [...new Set(chosen.map(stateDirOf))];
  take(directories);
  for (const directory of directories) {
    await endOrphans(directory);
    empty(directory);
    say(`  ${directory} is empty`);
  }
}

/** A mistyped `--environment` must not empty both. */
function refuseUnknown([unknown]) {
  if (unknown === undefined) return;
  throw new Error(`Unknown option ${unknown}. Nothing was removed.\n${usage}`);
}

/** All of them, or none. Also a start that begins at this moment is kept out. */
function take(directories) {
  const taken = [];
  try {
    for (const directory of directories) {
      lock(directory);
      taken.push(directory);
    }
    directories.forEach(refuseOccupied);
  } catch (error) {
    taken.forEach(unlock);
    throw error;
  }
}

/** Tests, a build and whatever else was started in this clone keep their files in folders of their own there. */
function refuseOccupied(directory) {
  const [busy] = lockedBelow(directory).filter(({ folder }) => !isEnvironment(folder));
  if (busy === undefined) return;
  throw new Error(
    `${busy.folder} is in use (pid ${busy.pid}). Nothing was removed: wait until that process has ended, or stop it first.`,
  );
}

/** One environment's directory may lie in another's: it stays, with its lock, until its own turn. So does what has begun since. */
function empty(directory) {
  const begun = lockedBelow(directory).map(({ folder }) => folder);
  for (const entry of readdirSync(directory)) {
    const path = join(directory, entry);
    if (isEnvironment(path) || begun.includes(path)) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

function isEnvironment(path) {
  return environments.map(stateDirOf).includes(path);
}
