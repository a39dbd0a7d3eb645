import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Server } from 'node:http';
import { Server as Listener } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { GatewayConfig } from '../gateway.config';
import { ShutdownState } from './shutdown-state';

const LOOK_EVERY_MS = 25;
/** How long the first request may take on a connection that was made just before the door closed. */
const LAST_REQUESTS_MS = 1_000;
/** A turn of the event loop that does nothing takes some 10 microseconds. */
const IDLE_TURN_MS = 0.03;
const MOST_TURNS = 200;

/**
 * Before anything stops: says that it is not ready, and closes each connection with the next reply on it, so that no client finds one
 * closed that it is just using. Only then the door is closed, also when no connection is left: a balancer that has not looked yet
 * sends the next one here.
 */
export async function leaveClients(app: INestApplication): Promise<void> {
  app.get(ShutdownState).leave();
  const server = app.getHttpServer() as Server;
  await delay(app.get(GatewayConfig).shutdownLeaveMs);
  await untilQuiet();
  // An HTTP server's own would close idle connections at once.
  Listener.prototype.close.call(server);
  await untilNobody(server, LAST_REQUESTS_MS);
}

/**
 * A connection that the system has taken and this process has not yet is reset by closing the door, its request unseen. So it is closed
 * right after a turn of the event loop that had nothing to do: then it was asked for connections some microseconds ago.
 */
async function untilQuiet(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const startedMs = performance.now();
    await nextTurn();
    if (performance.now() - startedMs < IDLE_TURN_MS) return;
  }
}

async function untilNobody(server: Server, withinMs: number): Promise<void> {
  const countConnections = promisify(server.getConnections.bind(server));
  const untilMs = performance.now() + withinMs;
  while (performance.now() < untilMs && (await countConnections()) > 0) await delay(LOOK_EVERY_MS);
}
