import { closeSync, existsSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { readSync, renameSync, statSync, writeSync } from 'node:fs';

/** How much of a process's output is kept: its log and a number of former ones. */
interface LogLimits {
  largestBytes: number;
  formerLogs: number;
}

const usualLimits: LogLimits = { largestBytes: 20 * 1024 * 1024, formerLogs: 3 };
const lookIntervalMs = 5_000;
const stepBytes = 1024 * 1024;

/** Turns a log over whenever it has grown past its limit, for as long as a process writes it. @returns ends that */
export function keepTurningOver(logFile: string): () => void {
  const looking = setInterval(() => {
    try {
      turnOver(logFile);
    } catch {
      // A full disk, for instance: the next look may find room.
    }
  }, lookIntervalMs);
  looking.unref();
  return () => clearInterval(looking);
}

/**
 * Moves a log that has grown past its limit to `.1`, that one to `.2` and so on. Copied and emptied: the process that writes it keeps
 * the file open, appends, and would follow one that is renamed.
 */
export function turnOver(logFile: string, { largestBytes, formerLogs }: LogLimits = usualLimits): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= largestBytes) return;
  const draft = `${logFile}.draft`;
  moveInto(draft, logFile, largestBytes);
  for (let number = formerLogs; number > 1; number -= 1) {
    const younger = `${logFile}.${number - 1}`;
    if (existsSync(younger)) renameSync(younger, `${logFile}.${number}`);
  }
  renameSync(draft, `${logFile}.1`);
}

/** Of a log that is far too long, the end. */
function moveInto(draft: string, logFile: string, largestBytes: number): void {
  const log = openSync(logFile, 'r+');
  const copy = openSync(draft, 'w');
  try {
    const { size } = fstatSync(log);
    const buffer = Buffer.alloc(stepBytes);
    let at = Math.max(0, size - 2 * largestBytes);
    // To its end, which may move meanwhile: what comes between the last look and the emptying is lost.
    for (let read = 1; read > 0 && at < size + largestBytes; at += read) {
      read = readSync(log, buffer, 0, stepBytes, at);
      writeSync(copy, buffer, 0, read);
    }
    ftruncateSync(log, 0);
  } finally {
    closeSync(log);
    closeSync(copy);
  }
}
