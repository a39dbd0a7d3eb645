import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '@svc/testing';
import { Agent } from 'undici';
import { steadyConnector } from './steady-connector';

/** As much of a body as undici keeps before it pauses: so it is paused with its last byte, and reads on for all that it knows. */
const BODY = 'x'.repeat(65_536);

const REPLIES = {
  'HTTP/1.0': 'HTTP/1.0 200 OK\r\n\r\n',
  'no length': 'HTTP/1.1 200 OK\r\n\r\n',
  'a length, then close': `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${2 * BODY.length}\r\n\r\n`,
};
const ENDS: Record<string, (socket: Socket) => void> = {
  reset: (socket) => socket.resetAndDestroy(),
  end: (socket) => socket.end(),
};
const CASES = Object.keys(REPLIES).flatMap((reply) => Object.keys(ENDS).map((end) => [reply, end] as const));

describe('steadyConnector', () => {
  const agent = new Agent({ connect: steadyConnector({ timeout: 5_000 }) });
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  let origin: string;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await agent.destroy();
    // Nothing is read of them here: none would notice that its client has gone, and end.
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it.each(CASES)('stands a server that hangs up behind a paused reply: %s, %s', async (reply, end) => {
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const asked = agent.request({ origin, path: '/', method: 'GET' });
    const [socket] = await connected;
    socket.on('error', () => undefined);
    socket.write(REPLIES[reply as keyof typeof REPLIES] + BODY);
    const { body } = await asked;
    await eventually(() => body.readableLength === BODY.length);
    const over = new Promise((done) => body.once('error', done).once('end', () => done('end')));
    const disconnected = once(agent, 'disconnect');
    ENDS[end]?.(socket);
    await disconnected;
    body.resume();
    // A body without a length is whole when its connection ends, and not when it is reset.
    const isWhole = end === 'end' && reply !== 'a length, then close';
    expect((await over) === 'end').toBe(isWhole);
  });

  it.each(['HTTP/1.0', 'no length'] as const)(
    'takes no reset for the end of a reply that is being read: %s',
    async (reply) => {
      const connected = once(server, 'connection') as Promise<[Socket]>;
      const asked = agent.request({ origin, path: '/', method: 'GET' });
      const [socket] = await connected;
      socket.on('error', () => undefined);
      socket.write(`${REPLIES[reply]}the beginning`);
      const { body } = await asked;
      const over = new Promise((done) => body.once('error', done).once('end', () => done('end')));
      await new Promise((read) => body.once('data', read));
      socket.resetAndDestroy();
      expect(await over).toMatchObject({ message: expect.stringContaining('ECONNRESET') as string });
    },
  );
});
