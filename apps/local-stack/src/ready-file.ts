import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Ready } from '@svc/local-servers';

/** Replaces the file as a whole: a reader sees the former or the new state. */
export function writeReady(file: string, ready: Ready): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(ready, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

export function removeReady(file: string): void {
  rmSync(file, { force: true });
}
