import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { eventually } from '@svc/testing';
import { connectedTo } from '../testing/connected-to.for-spec';
import { answerBrokenConnection } from './client-errors';

const PATIENCE_MS = 50;

describe('a connection on which no request has come in time', () => {
  let server: Server;
  let client: Socket;
  let received: string;
  let answered: number[];

  beforeEach(async () => {
    [received, answered] = ['', []];
    server = createServer({
      headersTimeout: PATIENCE_MS,
      requestTimeout: PATIENCE_MS,
      connectionsCheckingInterval: PATIENCE_MS,
    });
    server.on('clientError', (error, socket) =>
      answerBrokenConnection((_, status) => answered.push(status), error, socket as Socket),
    );
    client = await connectedTo(server);
    client.on('data', (chunk: Buffer) => (received += chunk.toString()));
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  // Browsers and load balancers open some in advance, and would take an answer for that to the request which they send just then.
  it('is closed without a word when nothing was sent on it', async () => {
    await eventually(() => client.closed);
    expect([received, answered]).toEqual(['', []]);
  });

  it('is told so when one was begun', async () => {
    client.write('GET / HTTP/1.1\r\nhost: x\r\n');
    await eventually(() => client.closed);
    expect(received).toMatch(/^HTTP\/1.1 408 .*"code":"invalid_request"/s);
    expect(answered).toEqual([408]);
  });
});
