import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { eventually } from '@svc/testing';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { CONNECTION_STALE, RestableConnection, restingConnector } from './resting-connector';

const HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const LAST = '0\r\n\r\n';

/** TLS by a key that both know, so that no certificate is needed. */
const KEY = Buffer.from('ab'.repeat(16), 'hex');
const PSK = { ciphers: 'PSK-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' } as const;

const PROTOCOLS = {
  http: { serve: () => createServer(), event: 'connection', options: {} },
  https: {
    serve: () => createTlsServer({ ...PSK, pskCallback: () => KEY }),
    event: 'secureConnection',
    options: {
      ...PSK,
      pskCallback: () => ({ psk: KEY, identity: 'spec' }),
      checkServerIdentity: () => undefined,
    },
  },
};

/** A call whose replies' pieces are kept as they come. */
class Call implements Dispatcher.DispatchHandler {
  readonly pieces: string[] = [];
  outcome: string | undefined;
  code: string | undefined;
  connection: RestableConnection | undefined;
  controller: Dispatcher.DispatchController | undefined;
  /** Called with each piece. */
  onPiece = (): void => undefined;

  get text(): string {
    return this.pieces.join('');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
  }

  onResponseStart(): void {
    this.connection = RestableConnection.beingRead;
    this.connection?.beginBody();
  }

  onResponseData(_: unknown, bytes: Buffer): void {
    this.connection?.noteBody(bytes.length);
    this.pieces.push(bytes.toString());
    this.onPiece();
  }

  onResponseEnd(): void {
    this.connection?.endBody();
    this.outcome = 'whole';
  }

  onResponseError(_: unknown, error: NodeJS.ErrnoException): void {
    this.outcome = error.message;
    this.code = error.code;
  }
}

describe.each(Object.entries(PROTOCOLS))('restingConnector, %s', (protocol, { serve, event, options }) => {
  let server: Server;
  let pool: Pool;
  let connected: Promise<[Socket]>;

  beforeEach(async () => {
    server = serve();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    connected = once(server, event) as Promise<[Socket]>;
    const origin = `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    pool = new Pool(origin, { connections: 1, connect: restingConnector({ timeout: 5_000, ...options }) });
  });
  afterEach(async () => {
    await pool.destroy();
    server.close();
  });

  async function ask(): Promise<{ call: Call; say: (text: string) => Promise<void>; socket: Socket }> {
    const call = new Call();
    pool.dispatch({ path: '/', method: 'GET' }, call);
    const [socket] = await connected;
    socket.on('error', () => undefined);
    socket.setNoDelay(true);
    await once(socket, 'data');
    const say = (text: string) => new Promise<void>((said) => socket.write(text, () => said()));
    return { call, say, socket };
  }

  /** What has come by now would have been read by then. */
  async function turns(): Promise<void> {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  it('reads what comes as it comes, and large bodies whole', async () => {
    const { call, say } = await ask();
    await say(HEAD + chunk('a'));
    await eventually(() => call.text === 'a');
    await say(chunk('b'));
    await eventually(() => call.text === 'ab');
    const large = 'x'.repeat(3 * 1024 * 1024);
    await say(chunk(large) + LAST);
    await eventually(() => call.outcome);
    expect(call.outcome).toBe('whole');
    expect(call.text.length).toBe(large.length + 2);
  });

  it.each([
    ['as a piece is handed on', (rest: () => void) => rest()],
    ['in a microtask after it', (rest: () => void) => queueMicrotask(rest)],
  ])('reads nothing while it rests, and then all that has come at one go: %s', async (_, when) => {
    const { call, say } = await ask();
    call.onPiece = () => when(() => call.connection?.rest());
    await say(HEAD + chunk('a'));
    await eventually(() => call.text === 'a');
    for (const text of ['b', 'c', 'd']) {
      await say(chunk(text));
      await turns();
    }
    expect(call.text).toBe('a');
    const inOneTurn = new Promise<string>((done) => {
      call.onPiece = () => setImmediate(() => done(call.text));
    });
    call.connection?.wake();
    expect(await inOneTurn).toBe('abcd');
    await say(LAST);
    await eventually(() => call.outcome);
    expect(call.outcome).toBe('whole');
  });

  it('does not rest where there is much to read', async () => {
    const { call, say } = await ask();
    call.onPiece = () => {
      call.connection?.rest();
      // A later read may be a small one.
      call.onPiece = () => undefined;
    };
    const much = 'x'.repeat(1024 * 1024);
    await say(HEAD + chunk(much));
    await eventually(() => call.text.length === much.length);
    expect(call.outcome).toBeUndefined();
  });

  it('reads on when it is woken, also where it was to rest twice and had much to read in between', async () => {
    const { call, say } = await ask();
    call.onPiece = () => call.controller?.pause();
    await say(HEAD + chunk('a'));
    await eventually(() => call.text === 'a');
    call.connection?.rest();
    // Taken by the connection already, and handed on by the call while the connection rests.
    const much = 'x'.repeat(32 * 1024);
    await say(chunk(much));
    await turns();
    call.onPiece = () => undefined;
    call.controller?.resume();
    await eventually(() => call.text.length === much.length + 1);
    call.connection?.rest();
    call.connection?.wake();
    await say(LAST);
    await eventually(() => call.outcome);
    expect(call.outcome).toBe('whole');
  });

  it.each([
    ['end', 'whole'],
    ['cut', /closed|aborted|EOF|terminated/],
  ])('hears of the %s of a connection when it is awake again', async (how, outcome) => {
    const { call, say, socket } = await ask();
    call.onPiece = () => call.connection?.rest();
    await say(HEAD + chunk('a'));
    await eventually(() => call.text === 'a');
    socket.end(chunk('b') + (how === 'end' ? LAST : ''));
    await turns();
    expect([call.text, call.outcome]).toEqual(['a', undefined]);
    call.connection?.wake();
    call.onPiece = () => undefined;
    await eventually(() => call.outcome);
    expect(call.text).toBe('ab');
    expect(call.outcome).toEqual(typeof outcome === 'string' ? outcome : expect.stringMatching(outcome));
  });

  it('reads a large body in chunks of one byte, paused again and again, and bodies after many replies without', async () => {
    const { call, say, socket } = await ask();
    await say(HEAD);
    const bytes = 300_000;
    for (let said = 0; said < bytes; said += 10_000) {
      await say(chunk('x').repeat(10_000));
      await turns();
      call.controller?.pause();
      await turns();
      call.controller?.resume();
    }
    await say(LAST);
    await eventually(() => call.outcome);
    expect([call.text.length, call.outcome]).toEqual([bytes, 'whole']);
    const empty = `HTTP/1.1 204 No Content\r\nx: ${'x'.repeat(12_000)}\r\n\r\n`;
    for (let reply = 0; reply < 120; reply++) {
      const next = new Call();
      const asked = once(socket, 'data');
      pool.dispatch({ path: '/', method: 'GET' }, next);
      await asked;
      await say(empty);
      await eventually(() => next.outcome);
      expect(next.outcome).toBe('whole');
    }
  });

  it.each([
    ['between words', chunk('a')],
    ['alone', ''],
  ])('ends a connection that hides its bytes in the extensions of chunks, %s', async (_, between) => {
    const { call, say, socket } = await ask();
    await say(HEAD + chunk('a'));
    const extended = `1;${'x'.repeat(16 * 1024)}\r\na\r\n`;
    for (let said = 0; said < 200 && !socket.destroyed && call.outcome === undefined; said++) {
      await say(between + extended);
      await turns();
    }
    expect(call.outcome).toBe('far more was said than came of it');
  });

  it('pauses and rests at once, and is used again', async () => {
    const { call, say, socket } = await ask();
    call.onPiece = () => {
      call.connection?.rest();
      call.controller?.pause();
    };
    await say(HEAD + chunk('a'));
    await eventually(() => call.text === 'a');
    await say(chunk('b') + LAST);
    await turns();
    call.controller?.resume();
    await turns();
    expect(call.text).toBe('a');
    call.onPiece = () => undefined;
    call.connection?.wake();
    await eventually(() => call.outcome);
    expect([call.text, call.outcome]).toEqual(['ab', 'whole']);
    const again = new Call();
    const asked = once(socket, 'data');
    pool.dispatch({ path: '/', method: 'GET' }, again);
    await asked;
    await say(HEAD + chunk('c') + LAST);
    await eventually(() => again.outcome);
    expect([again.text, again.outcome]).toEqual(['c', 'whole']);
  });

  it('hands on what came while it rested as one read, and so to whoever waits for a microtask', async () => {
    const { call, say } = await ask();
    call.onPiece = () => call.connection?.rest();
    await say(HEAD + chunk('a'));
    await eventually(() => call.text === 'a');
    for (const text of ['b', 'c', 'd']) {
      await say(chunk(text));
      await turns();
    }
    const texts = new Set<string>();
    call.onPiece = () => queueMicrotask(() => texts.add(call.text));
    call.connection?.wake();
    await say(LAST);
    await eventually(() => call.outcome);
    expect([...texts]).toEqual(['abcd']);
  });

  it.each(['end', 'destroy'] as const)(
    'is stale where its server %ss it before another reply',
    async (how) => {
      const first = await ask();
      await first.say(HEAD + chunk('a') + LAST);
      await eventually(() => first.call.outcome);
      const { call, socket } = await ask();
      socket[how]();
      await eventually(() => call.outcome);
      expect([call.text, call.code]).toEqual(['', CONNECTION_STALE]);
    },
  );

  it.each([
    ['it has served nobody', '', ''],
    ['the next reply has begun', HEAD + chunk('a') + LAST, 'HTTP/1.1 2'],
    ['the first reply is cut', '', HEAD + chunk('b')],
  ])('is not stale where %s', async (_, before, said) => {
    if (before !== '') {
      const { say, call } = await ask();
      await say(before);
      await eventually(() => call.outcome);
    }
    const { call, say, socket } = await ask();
    if (said !== '') await say(said);
    socket.end();
    await eventually(() => call.outcome);
    expect(call.code).toBe('UND_ERR_SOCKET');
  });

  it('is closed when its call is aborted, and the next call gets another', async () => {
    const { call, say, socket } = await ask();
    call.onPiece = () => call.connection?.rest();
    await say(HEAD + chunk('a'));
    await eventually(() => call.text === 'a');
    await say(chunk('b'));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const connectedAgain = once(server, event) as Promise<[Socket]>;
    call.connection?.wake();
    call.controller?.abort(new Error('aborted'));
    await closed;
    expect([call.text, call.outcome]).toEqual(['a', 'aborted']);
    const again = new Call();
    pool.dispatch({ path: '/', method: 'GET' }, again);
    const [other] = await connectedAgain;
    other.once('data', () => other.write(HEAD + chunk('c') + LAST));
    await eventually(() => again.outcome);
    expect([again.text, again.outcome]).toEqual(['c', 'whole']);
  });
});
