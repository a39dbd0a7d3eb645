import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const tailBytes = 16 * 1024;

/** The last lines of a file, indented for a message; empty when there is no such file. */
export function lastLines(path: string, count: number): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8').trimEnd().split('\n').slice(-count);
    return lines
      .filter((line) => line !== '')
      .map((line) => `  ${line}`)
      .join('\n');
  } finally {
    closeSync(file);
  }
}
