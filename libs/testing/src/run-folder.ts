import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Dirent } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endStaleProcess, identityOf } from '@svc/local-servers';
import type { ProcessIdentity } from '@svc/local-servers';

const PREFIX = 'integration-';
/** In the run's folder, a link to where specs keep their files. */
const SPECS = 'specs';
const RUN_SERVERS = ['nats/nats.pid', 'postgres/postgres.pid', 'chain/chain.pid'];
const GRACE_MS = 5_000;
/** The system's, which `makeRunFolder` puts another in place of. */
const { TMPDIR } = process.env;

/**
 * Makes the folder of this process's run of the integration tests, with what keeps `npm run reset` away while it runs, however jest was
 * started. From now on temporary folders lie in one of this run's, also those of the processes that this one starts: what specs leave
 * behind, servers of their own among it, is found there. It is outside of the workspace, of which some specs must see nothing.
 * @param runs where all runs of this clone have their folders
 */
export function makeRunFolder(runs: string): string {
  const folder = join(runs, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(lockFile(folder), JSON.stringify(identityOf(process.pid)));
  const specs = mkdtempSync(join(tmpdir(), 'svc-integration-'));
  symlinkSync(specs, join(folder, SPECS));
  process.env.TMPDIR = specs;
  return folder;
}

/** Ends the servers that a run has left running, its specs' own included, and removes all its files. */
export async function removeRun(folder: string): Promise<void> {
  await endServers(RUN_SERVERS.map((file) => join(folder, file)));
  const specs = specsOf(folder);
  if (process.env.TMPDIR === specs) restoreTemporaryFolder();
  if (specs !== undefined) {
    await endServers(pidFilesBelow(specs));
    // A process that has just been ended may have written once more.
    rmSync(specs, { recursive: true, force: true, maxRetries: 10 });
  }
  rmSync(folder, { recursive: true, force: true });
}

/** For another run of this process, as jest makes while it watches. */
function restoreTemporaryFolder(): void {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
}

/** Ends and removes what runs that were killed have left; those under way are left alone. */
export async function endFormerRuns(runs: string): Promise<void> {
  for (const { name } of entriesOf(runs)) {
    const folder = join(runs, name);
    if (name.startsWith(PREFIX) && !isUnderWay(folder)) await removeRun(folder);
  }
}

async function endServers(pidFiles: readonly string[]): Promise<void> {
  // They know a process by its pid and its start. What else its command line says, a spec has chosen.
  await Promise.all(pidFiles.map((file) => endStaleProcess(file, '', 'SIGINT', GRACE_MS)));
}

/** `tools/stack-lock.mjs` reads it too. */
function lockFile(folder: string): string {
  return join(folder, 'stack.lock');
}

/** Pids are given again, in containers soon: also this process's may have been a former run's. */
function isUnderWay(folder: string): boolean {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(lockFile(folder), 'utf8')) as ProcessIdentity;
    return identityOf(pid)?.startedAt === startedAt;
  } catch {
    return false;
  }
}

function specsOf(folder: string): string | undefined {
  try {
    return readlinkSync(join(folder, SPECS));
  } catch {
    return undefined;
  }
}

function pidFilesBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pidFilesBelow(path);
    return entry.name.endsWith('.pid') ? [path] : [];
  });
}

/** None where there is no such folder: a spec that still runs may just have removed it. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
