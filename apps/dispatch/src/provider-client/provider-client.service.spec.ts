import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startProvider, saying } from '../testing/provider.for-spec';
import type { TestProvider } from '../testing/provider.for-spec';
import { AddressGuard } from './address-guard.service';
import { endpointOf } from './endpoint';
import type { Endpoint } from './endpoint';
import { NameResolver } from './name-resolver.service';
import { ProviderClient } from './provider-client.service';
import { UpstreamCall } from './upstream-call';

describe('ProviderClient', () => {
  let client: ProviderClient;
  let provider: TestProvider;
  let release: () => void;

  beforeEach(async () => {
    const released = new Promise<void>((resolve) => (release = resolve));
    provider = await startProvider((request, response) => {
      void released.then(() => saying('x')(request, response));
    });
    client = new ProviderClient(
      new AddressGuard({ providerAllowedNetworks: '127.0.0.0/8' }, new NameResolver()),
    );
  });
  afterEach(async () => {
    await client.onApplicationShutdown();
    await provider.close();
  });

  /** @returns resolves when the call is over */
  function call(target: Endpoint, onData = (_upstream: UpstreamCall): void => undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const upstream = new UpstreamCall({
        onHead: () => undefined,
        onData: () => onData(upstream),
        onEnd: () => resolve(),
        onFailure: ({ reason }) => reject(new Error(reason)),
      });
      client.post(target, '{}', upstream);
    });
  }

  it('keeps connections while they are used, and closes them when nobody has for a while', async () => {
    const target = endpointOf(provider.url) as Endpoint;
    const ended = call(target);
    client.closeIdle(Infinity);
    expect(client.origins).toBe(1);
    release();
    await ended;
    client.closeIdle(0);
    expect(client.origins).toBe(1);
    client.closeIdle(Infinity);
    expect(client.origins).toBe(0);
    // The next call opens another.
    await call(target);
    expect(provider.requests).toHaveLength(2);
  });

  it('uses a connection again whose last call let it rest', async () => {
    const target = endpointOf(provider.url) as Endpoint;
    release();
    for (let calls = 0; calls < 4; calls++) await call(target, (upstream) => upstream.rest());
    // One that was used just now is not free yet when the next call is made.
    expect(new Set(provider.requests.map(({ port }) => port)).size).toBeLessThan(4);
  });

  describe('where the server has closed a connection that was to be used again', () => {
    let asked: { port: number; isFirst: boolean }[];
    let closing: (socket: Socket, isFirst: boolean) => boolean;
    let server: Server;
    let target: Endpoint;

    beforeEach(async () => {
      release();
      asked = [];
      server = createServer((request, response) => {
        const { socket } = request;
        const isFirst = socket.bytesWritten === 0;
        asked.push({ port: socket.remotePort ?? 0, isFirst });
        request.resume().once('end', () => {
          if (!closing(socket, isFirst)) response.end('x');
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      target = endpointOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`) as Endpoint;
    });
    afterEach(() => {
      server.close();
      server.closeAllConnections();
    });

    /** Ends a connection by what is done with its socket, when it is asked something again. */
    const atSecond = (end: (socket: Socket) => void) => (socket: Socket, isFirst: boolean) => {
      if (!isFirst) end(socket);
      return !isFirst;
    };
    /** The connection is free again a turn after its call is over. */
    const callsByTurns = async (count: number) => {
      for (let calls = 0; calls < count; calls++) {
        await call(target);
        await nextTurn();
      }
    };

    it.each([
      ['an end', (socket: Socket) => socket.end()],
      ['a reset', (socket: Socket) => socket.resetAndDestroy()],
    ])('%s: asks again over another', async (_, end) => {
      closing = atSecond(end);
      await callsByTurns(3);
      expect(asked.map(({ isFirst }) => isFirst)).toEqual([true, false, true, false, true]);
    });

    it('does not ask again where the connection was new', async () => {
      closing = (socket) => !!socket.resetAndDestroy();
      await expect(call(target)).rejects.toThrow('connection_lost');
      expect(asked).toHaveLength(1);
    });

    it('does not ask again where the reply had begun', async () => {
      closing = atSecond((socket) => socket.end('HTTP/1.1 2'));
      await callsByTurns(1);
      await expect(call(target)).rejects.toThrow('connection_lost');
      expect(asked).toHaveLength(2);
    });

    it('has lost the connection where the server is gone: it may have been this request', async () => {
      closing = atSecond((socket) => {
        server.close();
        socket.resetAndDestroy();
      });
      await callsByTurns(1);
      await expect(call(target)).rejects.toThrow('connection_lost');
      expect(asked).toHaveLength(2);
    });
  });
});
