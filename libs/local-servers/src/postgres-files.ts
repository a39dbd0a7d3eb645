import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { executable } from './binaries';
import { commandLineOf } from './process-identity';

interface PackagedLink {
  source: string;
  target: string;
}

/**
 * Makes the npm package's binaries usable: npm packages cannot hold symbolic links, so the package lists them in
 * `pg-symlinks.json` for an install script, which npm does not run here. Idempotent; writes inside the package only.
 * @param home the package's `native` folder
 */
export function prepareBinaries(home: string): void {
  const list = join(home, 'pg-symlinks.json');
  if (existsSync(list)) {
    for (const link of JSON.parse(readFileSync(list, 'utf8')) as PackagedLink[]) {
      const target = join(home, '..', link.target);
      const source = relative(dirname(link.target), link.source);
      if (!linkExists(target)) linkOnce(source, target);
    }
  }
  for (const name of ['initdb', 'postgres', 'pg_ctl']) executable(join(home, 'bin', name));
}

/**
 * Removes `postmaster.pid` when the pid in it is not a PostgreSQL of this data directory: after a crash (or in a
 * restarted container, where pids begin again) it may name a stranger, and PostgreSQL would refuse to start.
 */
export function removeStaleLock(dataDirectory: string): void {
  const lock = join(dataDirectory, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  if (commandLineOf(pid)?.includes(dataDirectory) === true) {
    throw new Error(
      `PostgreSQL (pid ${pid}) already runs on ${basename(dirname(dataDirectory))}/${basename(dataDirectory)}`,
    );
  }
  rmSync(lock);
}

function linkExists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Another process may be preparing the same package at this moment. */
function linkOnce(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
