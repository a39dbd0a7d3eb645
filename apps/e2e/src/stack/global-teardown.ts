import { readFileSync } from 'node:fs';
import type { Ready } from '@svc/local-servers';

/** Stops the marketplace and fails the run when a process of it is left. */
export default async function globalTeardown(): Promise<void> {
  const stack = globalThis.svcStack;
  if (!stack) return;
  const { processes } = JSON.parse(readFileSync(stack.readyFile, 'utf8')) as Ready;
  const code = await stack.stop();
  const left = Object.entries(processes).flatMap(([name, pids]) =>
    pids.filter(isAlive).map((pid) => `${name} (${pid})`),
  );
  if (code !== 0 || left.length > 0) {
    throw new Error(`npm start ended with ${code}; processes left: ${left.join(', ') || 'none'}`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
