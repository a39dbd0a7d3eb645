import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Ports already handed out by this process: a caller may take several before anything listens on the first. */
const handedOut = new Set<number>();

/**
 * A TCP port on 127.0.0.1 that nothing listens on: the preferred one if it is free, else one the system chooses.
 * A port is given out once per process.
 */
export async function freePort(preferred = 0): Promise<number> {
  if (preferred !== 0 && !handedOut.has(preferred) && (await tryPort(preferred)) !== undefined) {
    handedOut.add(preferred);
    return preferred;
  }
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = await tryPort(0);
    if (port !== undefined && !handedOut.has(port)) {
      handedOut.add(port);
      return port;
    }
  }
  throw new Error('No free TCP port on 127.0.0.1');
}

/** Listens for a moment on the port (0: any) and returns its number, or undefined when it is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address() as AddressInfo;
      server.close(() => {
        resolve(address.port);
      });
    });
  });
}
