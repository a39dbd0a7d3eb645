import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Lets a server close as soon as the requests under way are answered. By itself it would wait for every kept-alive
 * connection that was busy when the closing began, and for those on which no request ever came.
 * @returns to be called when the closing begins
 */
export function drainOnClose(server: Server): () => void {
  /** Requests under way on each open connection. */
  const connections = new Map<Socket, number>();
  let draining = false;
  server.on('connection', (socket: Socket) => {
    connections.set(socket, 0);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }, response: ServerResponse) => {
    connections.set(socket, (connections.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (connections.get(socket) ?? 1) - 1;
      if (connections.has(socket)) connections.set(socket, left);
      if (draining && left === 0) socket.destroySoon();
    });
  });
  return () => {
    draining = true;
    for (const [socket, underWay] of connections) if (underWay === 0) socket.destroySoon();
  };
}

/** Makes `app.close()` end as soon as the requests under way are answered. */
export function closePromptly(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const drain = drainOnClose(fastify.server);
  fastify.addHook('preClose', (done) => {
    drain();
    done();
  });
}
