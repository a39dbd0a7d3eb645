import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { freePort } from '@svc/local-servers';

/** A server on this machine that tests start, stop, and start again at the same port. */
export abstract class TestServer {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  protected port = 0;

  /** Base URL up to and including `/v1`, as an offer names it. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  async start(): Promise<this> {
    const server = this.create();
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.sockets.delete(socket));
    });
    // While it is away, or another is to listen in its place, no connection is given its port.
    this.port ||= await freePort();
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
    return this;
  }

  /** Ends the server and every connection. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  protected abstract create(): Server;
}

/** One that speaks HTTP. */
export abstract class TestHttpServer extends TestServer {
  protected create(): HttpServer {
    return createServer((request, response) => {
      response.on('error', () => response.destroy());
      void this.handle(request, response).catch(() => response.destroy());
    });
  }

  protected abstract handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** One that speaks whatever it likes once a request's head has come. */
export abstract class TestTcpServer extends TestServer {
  protected create(): Server {
    return createTcpServer((socket) => {
      socket.once('data', () => this.reply(socket));
    });
  }

  protected abstract reply(socket: Socket): void;
}

/** @returns undefined when the caller hung up within it */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  } catch {
    return undefined;
  }
  return Buffer.concat(parts).toString('utf8');
}
