import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Those above are given to outgoing connections, by Linux from 32768 on (ip_local_port_range). One of them could take a server's port while
 * that is restarted; a client that tries again and again to reach it could even be connected to itself.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;
/** Those from here up to the first are given to nobody who does not ask for one of them. */
const FIRST_UNGIVEN_PORT = 15_000;
const ATTEMPTS = 100;

/**
 * A TCP port on 127.0.0.1 that nothing listens on: the preferred one if it is free, else any that no connection is given.
 * A port is given out once on this machine, for as long as this process runs.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await take(preferred))) return preferred;
  return (await takeAny(FIRST_PORT, LAST_PORT)).port;
}

/** One that is not given out: it stays free for whoever prefers it, also while others choose any. */
export async function unusedPort(): Promise<number> {
  const { port, reservation } = await takeAny(FIRST_UNGIVEN_PORT, FIRST_PORT - 1);
  await new Promise<void>((resolve) => reservation.close(resolve));
  return port;
}

async function takeAny(first: number, last: number): Promise<{ port: number; reservation: Socket }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(first, last + 1);
    const reservation = await take(port);
    if (reservation) return { port, reservation };
  }
  throw new Error('No free TCP port on 127.0.0.1');
}

/** @returns undefined when the port is reserved, by whichever process, or something listens there */
async function take(port: number): Promise<Socket | undefined> {
  const reservation = await reserve(port);
  if (reservation === undefined) return undefined;
  if (await canListen(port)) return reservation;
  reservation.close();
  return undefined;
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

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
