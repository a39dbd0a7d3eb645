import { execFile } from 'node:child_process';
import { platform } from 'node:os';
import { promisify } from 'node:util';

/**
 * Asks Linux not to put a process aside for the one that it has just woken (SCHED_BATCH, sched(7)), for this process and what it starts from
 * now on. A message wakes the process that it is for, and usually there is more to say: put aside after each, the writer goes on with cold
 * caches, and the reader finds one message where it might have found ten.
 * Where there is no `chrt` (util-linux), or it may not, everything runs as it would have.
 */
export async function finishBeforeOthersBegin(): Promise<void> {
  if (platform() !== 'linux') return;
  await promisify(execFile)('chrt', ['--batch', '--pid', '0', String(process.pid)]).catch(() => undefined);
}
