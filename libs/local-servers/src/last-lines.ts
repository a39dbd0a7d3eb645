import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const tailBytes = 16 * 1024;
const longestLine = 500;
const nothing = '  (empty)';

/**
 * The last lines of a log file, indented for a message; "(empty)" when there are none after `sinceByte`. A file shorter than that has been
 * turned over since: all of it counts.
 */
export function lastLines(path: string, count: number, sinceByte: number): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return nothing;
  }
  try {
    const size = fstatSync(file).size;
    const newBytes = size < sinceByte ? size : size - sinceByte;
    const buffer = Buffer.alloc(Math.min(newBytes, tailBytes));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8').trimEnd().split('\n').slice(-count);
    const written = lines.filter((line) => line !== '').map((line) => `  ${shorten(line)}`);
    return written.length === 0 ? nothing : written.join('\n');
  } finally {
    closeSync(file);
  }
}

/** A log line may hold a whole stack trace. */
function shorten(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
