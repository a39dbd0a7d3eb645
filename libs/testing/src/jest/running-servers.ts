import type { TestServers } from '../test-servers';

/** jest loads set-up and tear-down as separate module graphs in one process; a global symbol spans both. */
const key = Symbol.for('svc.testing.servers');
const store = globalThis as typeof globalThis & Record<symbol, TestServers | undefined>;

export function rememberServers(servers: TestServers): void {
  store[key] = servers;
}

export async function stopServers(): Promise<void> {
  await store[key]?.stop();
  store[key] = undefined;
}
