import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { say, step } from './progress.mjs';
import { runOrThrow } from './run.mjs';
import { holderOf, lock, unlock } from './stack-lock.mjs';

/** The clone. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where the test network's marketplace and the tests keep their state. */
export const stateDir = resolve(root, process.env.SVC_STATE_DIR || '.local');

/** A command that npm installed. */
export function bin(name) {
  return join(root, 'node_modules/.bin', name);
}

/**
 * Installs what is missing and builds what changed; one process of the clone at a time, since all write the same files.
 * @param signal ends the wait for another one; what runs already is ended by `endRunning`
 */
export async function prepare(signal) {
  const directory = join(root, '.local/prepare');
  await untilLocked(directory, signal);
  try {
    await installAndBuild();
  } finally {
    unlock(directory);
  }
}

async function untilLocked(directory, signal) {
  let waitsFor;
  for (let failures = 0; ;) {
    signal?.throwIfAborted();
    try {
      return lock(directory);
    } catch (error) {
      const holder = holderOf(directory);
      // Somebody else takes it at this moment.
      if (holder === undefined && ++failures > 50) throw error;
      if (holder !== undefined && holder !== waitsFor) say(`  waiting for pid ${holder}, which builds here`);
      waitsFor = holder ?? waitsFor;
      await pause(100, undefined, { signal });
    }
  }
}

async function installAndBuild() {
  await install(root, 'install');
  // npm skips it within the workspace on older Node versions because of an engine field that does not matter here.
  if (process.platform === 'linux' && process.arch === 'x64') {
    await install(join(root, 'tools/nats-server'), 'install nats-server');
  }
  await step('build', () =>
    runOrThrow(bin('nx'), ['run-many', '-t', 'build'], {
      cwd: root,
      env: { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true' },
    }),
  );
}

/** Whether a folder's modules are those of its lockfile, for this Node and this machine. */
export function isInstalled(folder) {
  const stamp = stampOf(folder);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(folder);
}

function stampOf(folder) {
  return join(folder, 'node_modules/.svc-install');
}

/** Runs npm in a folder unless that was done. */
async function install(folder, title) {
  if (isInstalled(folder)) return;
  const wanted = fingerprint(folder);
  await step(title, async () => {
    // Not `npm ci`, which begins by removing what is installed. No package needs its scripts.
    // All of it, also where NODE_ENV says production: the build is made here.
    const args = [
      ...['install', '--include=dev', '--include=optional'],
      ...['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'],
    ];
    const npm = process.env.npm_execpath;
    if (npm?.endsWith('.js')) await runOrThrow(process.execPath, [npm, ...args], { cwd: folder });
    else await runOrThrow('npm', args, { cwd: folder });
  });
  const stamp = stampOf(folder);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

function fingerprint(folder) {
  const lockfile = readFileSync(join(folder, 'package-lock.json'));
  const hash = createHash('sha256').update(lockfile).digest('hex');
  const nodeMajor = process.versions.node.split('.')[0];
  return `${hash} node-${nodeMajor} ${process.platform}-${process.arch}\n`;
}
