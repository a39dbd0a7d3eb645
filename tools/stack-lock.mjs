import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * One supervisor per state directory, and no process of a former one. A process is known by its pid and its start time,
 * in the form libs/local-servers writes them (process-identity.ts), so that a pid given to another process later is
 * never mistaken for it.
 */

const leastGraceMs = 20_000;

/** Takes the directory for this process. @throws Error naming the process that has it */
export function lock(stateDir) {
  mkdirSync(stateDir, { recursive: true });
  const file = lockFile(stateDir);
  // Linked into place, so that nobody ever finds it half written and takes it for a dead one's.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid, startedAt: startedAt(process.pid) }));
  try {
    while (!isLinked(own, file)) removeStale(file);
  } finally {
    rmSync(own, { force: true });
  }
}

/** @returns false when there is such a file already */
function isLinked(existing, file) {
  try {
    linkSync(existing, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Taken aside before it is removed: of two who find a dead one's lock, none removes the other's new one. */
function removeStale(file) {
  const aside = `${file}.${process.pid}.stale`;
  refuseHeld(file);
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  try {
    refuseHeld(aside);
  } catch (error) {
    isLinked(aside, file);
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function refuseHeld(file) {
  const holder = runningPid(file)?.pid;
  if (holder === undefined) return;
  throw new Error(
    `svc already runs here (pid ${holder}, state in ${dirname(file)}). Stop it first, with Ctrl-C or SIGTERM.`,
  );
}

export function unlock(stateDir) {
  rmSync(lockFile(stateDir), { force: true });
}

/** The pid of the supervisor that runs on this state directory, or undefined. */
export function holderOf(stateDir) {
  return runningPid(lockFile(stateDir))?.pid;
}

/**
 * Keeps `npm run reset` from a state directory for as long as this process runs; any number of processes may.
 * @param what says in the refusal who it is, as the name of a folder
 */
export function occupy(stateDir, what) {
  const folder = join(stateDir, `${what}-${process.pid}`);
  lock(folder);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** The folders directly below that a running process has locked, with its pid. */
export function lockedBelow(directory) {
  const folders = readdirSync(directory).map((name) => join(directory, name));
  return folders.flatMap((folder) => {
    const pid = holderOf(folder);
    return pid === undefined ? [] : [{ folder, pid }];
  });
}

/** Ends what a killed supervisor left running. @returns how many processes that were */
export async function endOrphans(stateDir) {
  const folder = join(stateDir, 'run');
  const files = listPidFiles(folder).map((name) => join(folder, name));
  const orphans = files.map(runningPid).filter((orphan) => orphan !== undefined);
  for (const { pid, stopSignal } of orphans) send(pid, stopSignal ?? 'SIGTERM');
  const graceMs = Math.max(leastGraceMs, ...orphans.map(({ stopGraceMs = 0 }) => stopGraceMs));
  const deadline = performance.now() + graceMs;
  while (orphans.some(isRunning) && performance.now() < deadline) await pause(50);
  for (const { pid } of orphans.filter(isRunning)) send(pid, 'SIGKILL');
  while (orphans.some(isRunning)) await pause(20);
  for (const file of files) rmSync(file, { force: true });
  return orphans.length;
}

function lockFile(stateDir) {
  return join(stateDir, 'stack.lock');
}

function listPidFiles(folder) {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.pid'));
  } catch {
    return [];
  }
}

/** What a pid file records, if that very process still runs. */
function runningPid(file) {
  try {
    const recorded = JSON.parse(readFileSync(file, 'utf8'));
    return isRunning(recorded) ? recorded : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(recorded) {
  const now = startedAt(recorded.pid);
  return now !== undefined && now === recorded.startedAt;
}

/**
 * When a process started, in a form to compare; undefined when there is none, or only its zombie. The form is that of `identityOf` in
 * libs/local-servers/src/process-identity.ts, which writes many of the files read here.
 */
function startedAt(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : `${bootId()}:${fields[19]}`;
  } catch {
    return process.platform === 'linux' ? undefined : psStartedAt(pid);
  }
}

function bootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'boot';
  }
}

function psStartedAt(pid) {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}

function pause(delayMs) {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
