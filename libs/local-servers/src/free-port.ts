import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/**
 * A TCP port on 127.0.0.1 that nothing listens on: the preferred one if it is free, else one the system chooses.
 * A port is given out once on this machine, for as long as this process runs.
 */
export async function freePort(preferred = 0): Promise<number> {
  if (preferred !== 0 && (await take(preferred))) return preferred;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = await listenBriefly(0);
    if (port !== undefined && (await take(port))) return port;
  }
  throw new Error('No free TCP port on 127.0.0.1');
}

/** @returns false when the port is reserved, by whichever process, or something listens there */
async function take(port: number): Promise<boolean> {
  const reservation = await reserve(port);
  if (reservation === undefined) return false;
  if ((await listenBriefly(port)) !== undefined) return true;
  reservation.close();
  return false;
}

/**
 * Until a server listens on the port it is chosen for, and while it is restarted, another process that chooses would find it free.
 * Who has the UDP port of the same number has it reserved: no TCP server is in the way, and the system gives it back however
 * the process ends.
 */
function reserve(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref();
      resolve(socket);
    });
  });
}

/** Listens for a moment on the port (0: any) and returns its number, or undefined when it is taken. */
function listenBriefly(port: number): Promise<number | undefined> {
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
