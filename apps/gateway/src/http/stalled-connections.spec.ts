import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '@svc/testing';
import { connectedTo } from '../testing/connected-to.for-spec';
import { StalledConnections } from './stalled-connections';

const MEGABYTE = 1024 * 1024;
/** More than the system takes for a client that reads nothing. */
const LONG = Buffer.alloc(96 * MEGABYTE);

describe('a client of any reply', () => {
  let server: Server;
  let stalled: StalledConnections;
  let connection: Socket;
  let raw: ServerResponse;
  let client: Socket;
  let wanted: number;
  let nowMs: number;

  beforeEach(async () => {
    [stalled, wanted, nowMs] = [new StalledConnections(), 0, 0];
    server = createServer(({ socket }, reply) => ([connection, raw] = [socket, reply]));
    stalled.follow(server);
    client = await connectedTo(server);
    client.on('error', () => undefined);
    client.on('data', (chunk: Buffer) => {
      wanted -= chunk.length;
      if (wanted <= 0) client.pause();
    });
    client.pause();
    const asked = once(server, 'request');
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await asked;
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  const pass = (ms: number) => {
    stalled.sweep((nowMs += ms));
    return connection.destroyed;
  };
  const leftBytes = () =>
    (connection as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;

  it.each<[string, () => void]>([
    ['whole', () => raw.end(LONG)],
    ['begun', () => raw.write(LONG)],
  ])('is cut off when it takes nothing of it for 30 s (%s)', async (_, send) => {
    send();
    await eventually(() => leftBytes() > 0);
    expect(pass(0)).toBe(false);
    expect(pass(29_999)).toBe(false);
    expect(pass(1)).toBe(true);
    await eventually(() => raw.destroyed);
  });

  it('has as long as it wants while it takes some, of one long write as well', async () => {
    raw.end(LONG);
    await eventually(() => leftBytes() > 0);
    pass(0);
    for (let taken = 0; taken < 3; taken++) {
      expect(pass(29_000)).toBe(false);
      const before = leftBytes();
      wanted = 8 * MEGABYTE;
      client.resume();
      await eventually(() => client.isPaused() && leftBytes() < before);
      expect(pass(2_000)).toBe(false);
    }
    expect(pass(30_000)).toBe(true);
  });

  it('is not cut off for what waits behind another reply of its connection, and is from its turn on', async () => {
    const first = raw;
    const asked = once(server, 'request');
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await asked;
    raw.end(LONG);
    for (let passed = 0; passed < 3; passed++) expect(pass(29_000)).toBe(false);
    first.end();
    await eventually(() => leftBytes() > 0);
    expect(pass(0)).toBe(false);
    expect(pass(29_999)).toBe(false);
    expect(pass(1)).toBe(true);
    await eventually(() => raw.destroyed);
  });

  it('may wait for a reply that has not come for as long as it takes', async () => {
    raw.write('some');
    await eventually(() => connection.writableLength === 0);
    for (let passed = 0; passed < 10; passed++) expect(pass(29_000)).toBe(false);
    raw.end('more');
    await eventually(() => raw.writableFinished);
    expect(pass(60_000)).toBe(false);
  });
});

describe('clients that leave large replies unread', () => {
  it('are cut off while there are too many, those with the most first', async () => {
    const stalled = new StalledConnections();
    // Less of each than one may have, and more of all than all may.
    const sizes = [64, 96, 80, 48, 72].map((megabytes) => megabytes * MEGABYTE);
    const connections: Socket[] = [];
    const server = createServer(({ socket }, reply) => {
      reply.end(LONG.subarray(0, sizes[connections.push(socket) - 1]));
    });
    stalled.follow(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const clients = await Promise.all(
      sizes.map(async () => {
        const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
        client.on('error', () => undefined);
        await once(client, 'connect');
        client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
        return client;
      }),
    );
    try {
      await eventually(() => connections.filter(({ writableLength }) => writableLength > 0).length === 5);
      stalled.sweep(0);
      // 360 MiB: without the largest two there are 184.
      expect(connections.map(({ destroyed }) => destroyed)).toEqual([false, true, true, false, false]);
      stalled.sweep(1);
      expect(connections.filter(({ destroyed }) => destroyed)).toHaveLength(2);
    } finally {
      for (const client of clients) client.destroy();
      server.close();
    }
  });
});
