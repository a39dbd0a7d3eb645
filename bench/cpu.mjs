// CPU time by process, from the operating system's own accounting (Linux schedstat: nanoseconds on a processor).
import { readFileSync, readdirSync } from 'node:fs';

export function childrenOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return [];
  }
}

/** USER_HZ, which is 100 on every platform of Node's. */
const NANOSECONDS_PER_TICK = 1e7;

/** What children took that have ended: without it, a connection's process that ends would take all it ever used back. */
function nanosecondsOfEnded(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  // cutime and cstime, fields 16 and 17 (proc_pid_stat(5)); the first here is field 3.
  return (Number(fields[13]) + Number(fields[14])) * NANOSECONDS_PER_TICK;
}

function nanosecondsOf(pid) {
  let total = 0;
  try {
    total += nanosecondsOfEnded(pid);
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      total += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    }
  } catch {
    // A process that ended in between counts nothing.
  }
  return total + childrenOf(pid).reduce((sum, child) => sum + nanosecondsOf(child), 0);
}

/** CPU microseconds so far of each named group of processes, children included. */
export function cpuByProcess(processes) {
  return Object.fromEntries(
    Object.entries(processes).map(([name, pids]) => [
      name,
      pids.reduce((sum, pid) => sum + nanosecondsOf(pid), 0) / 1_000,
    ]),
  );
}
