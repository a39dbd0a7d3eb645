import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const BLOCK = 512;
const FILE = new Set(['0', '\0']);

/** Writes the plain files of a ustar archive below a folder, with their modes; what else there is in it is left out. */
export function untar(archive: Buffer, folder: string): void {
  for (let at = 0; at + BLOCK <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK);
    const name = textOf(header, 0, 100);
    // Two empty blocks end it.
    if (name === '') return;
    const size = Number.parseInt(textOf(header, 124, 12), 8);
    at += BLOCK;
    if (FILE.has(String.fromCharCode(header[156] ?? 0))) {
      const path = join(folder, name);
      if (!path.startsWith(join(normalize(folder), '/'))) throw new Error(`${name} leads out of the archive`);
      mkdirSync(dirname(path), { recursive: true });
      const mode = Number.parseInt(textOf(header, 100, 8), 8) & 0o777;
      writeFileSync(path, archive.subarray(at, at + size), { mode });
    }
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
}

function textOf(header: Buffer, start: number, length: number): string {
  return header
    .subarray(start, start + length)
    .toString('latin1')
    .replace(/[\0 ].*$/s, '');
}
