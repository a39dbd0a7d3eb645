import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What tells one process from a later one that was given the same pid. `tools/stack-lock.mjs` reads it without any build. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in a form that only ever gets compared for equality. */
  startedAt: string;
}

/** Whether a process with this pid exists, a zombie not counted. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return linuxStat(pid)?.state !== 'Z';
}

/** The identity of a running process, or undefined when there is none with this pid. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  if (!isAlive(pid)) return undefined;
  const stat = linuxStat(pid);
  if (stat !== undefined) return { pid, startedAt: `${bootId()}:${stat.startTicks}` };
  const startedAt = ps(pid, 'lstart');
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** The command line of a running process with its arguments, or undefined. */
export function commandLineOf(pid: number): string | undefined {
  try {
    if (existsSync('/proc/self/cmdline')) {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    }
  } catch {
    return undefined;
  }
  return ps(pid, 'command');
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'boot';
  }
}

/** Fields 3 and 22 of /proc/<pid>/stat (proc_pid_stat(5)); the name in field 2 may hold blanks and brackets. */
function linuxStat(pid: number): { state: string; startTicks: string } | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTicks: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string | undefined {
  try {
    const output = execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
    return output === '' ? undefined : output;
  } catch {
    return undefined;
  }
}
