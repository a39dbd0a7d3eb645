import { eventually } from '@svc/testing';
import { startRawProvider } from '../testing/raw-provider.for-spec';
import type { RawConnection, RawProvider } from '../testing/raw-provider.for-spec';
import { AddressGuard } from './address-guard.service';
import { endpointOf } from './endpoint';
import type { Endpoint } from './endpoint';
import { NameResolver } from './name-resolver.service';
import { ProviderClient } from './provider-client.service';
import { UpstreamCall } from './upstream-call';

interface Framing {
  /** Up to and with `hello `, and not a byte more: the reply is paused, and nothing waits. */
  begin: string;
  /** What goes on with `world!`. */
  more: string;
  /** What says that the body is whole; undefined where nothing but the connection's end does. */
  last?: string;
}

const CHUNKS = { more: '\r\n6\r\nworld!\r\n', last: '0\r\n\r\n' };
const FRAMINGS: Record<string, Framing> = {
  'chunks, keep-alive': {
    begin: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nhello ',
    ...CHUNKS,
  },
  'chunks, then close': {
    begin: 'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n6\r\nhello ',
    ...CHUNKS,
  },
  'a length, then close': {
    begin: 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 12\r\n\r\nhello ',
    more: 'world',
    last: '!',
  },
  'no length': { begin: 'HTTP/1.1 200 OK\r\n\r\nhello ', more: 'world!' },
  'HTTP/1.0': { begin: 'HTTP/1.0 200 OK\r\n\r\nhello ', more: 'world!' },
};
const CASES = Object.entries(FRAMINGS);

describe('a provider that hangs up while nothing is read of its reply', () => {
  let client: ProviderClient;
  let provider: RawProvider;
  let connection: RawConnection;
  let call: UpstreamCall;
  let text = '';
  let outcome: string | undefined;

  beforeEach(() => {
    client = new ProviderClient(
      new AddressGuard({ providerAllowedNetworks: '127.0.0.0/8' }, new NameResolver()),
    );
    text = '';
    outcome = undefined;
  });
  afterEach(async () => {
    await client.onApplicationShutdown();
    await provider.close();
  });

  /** Has a reply begin, and pauses at each piece of its body. */
  async function start({ begin }: Framing): Promise<void> {
    provider = await startRawProvider(async (opened) => {
      connection = opened;
      await opened.write(begin);
    });
    call = new UpstreamCall({
      onHead: () => undefined,
      onData: (bytes) => {
        text += bytes.toString();
        call.pause();
      },
      onEnd: () => (outcome = 'whole'),
      onFailure: ({ reason }) => (outcome = reason),
    });
    client.post(endpointOf(provider.url) as Endpoint, '{}', call);
    await eventually(() => text === 'hello ');
  }

  /** Reads on, a piece at a time. */
  async function readOn(): Promise<void> {
    await eventually(() => {
      call.resume();
      return outcome;
    });
  }

  it.each(CASES)('%s: a reset fails the call', async (_, framing) => {
    await start(framing);
    connection.reset();
    await eventually(() => outcome);
    expect([outcome, text]).toEqual(['connection_lost', 'hello ']);
  });

  it.each(CASES)('%s: an end is one only where the body may end so', async (_, framing) => {
    await start(framing);
    connection.end();
    await eventually(() => outcome);
    expect([outcome, text]).toEqual([framing.last === undefined ? 'whole' : 'connection_lost', 'hello ']);
  });

  it.each(CASES)('%s: what came before the end is read first', async (_, framing) => {
    await start(framing);
    await connection.write(framing.more + (framing.last ?? ''));
    connection.end();
    await readOn();
    expect([outcome, text]).toEqual(['whole', 'hello world!']);
  });

  it.each(CASES)('%s: what is missing at the end is missed', async (_, framing) => {
    await start(framing);
    await connection.write(framing.more);
    connection.end();
    await readOn();
    expect(outcome).toBe(framing.last === undefined ? 'whole' : 'connection_lost');
    expect(text).toMatch(/^hello world/);
  });

  it.each(CASES)('%s: a reset right after more was said ends the call', async (_, framing) => {
    await start(framing);
    await connection.write(framing.more);
    connection.reset();
    await readOn();
    // Node may take that for an end (libuv reads no further once it sees the connection hung up).
    expect(outcome).toMatch(framing.last === undefined ? /whole|connection_lost/ : 'connection_lost');
  });
});
