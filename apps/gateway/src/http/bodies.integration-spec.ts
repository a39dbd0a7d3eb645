import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { generateApiKey } from '@svc/api-key';
import { ENVIRONMENTS } from '@svc/environment';
import { eventually } from '@svc/testing';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../testing/portal-visitor.for-spec';

const KIB = 1024;

const harness = new GatewayHarness();
beforeAll(() => harness.start({ HTTP_MAX_COLLECTED_BODY_BYTES: String(300 * KIB) }));
afterAll(() => harness.stop());

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection of its own, on which so much is sent. */
function send(text: string) {
  const { hostname, port } = new URL(harness.url);
  const socket = connect(Number(port), hostname);
  const client = { socket, received: '' };
  sockets.push(socket);
  socket.on('data', (chunk: Buffer) => (client.received += chunk.toString()));
  socket.on('error', () => undefined);
  socket.write(text);
  return client;
}

/** Sends a request after whose answer the connection is closed, as far as is said. */
function sendClosing(path: string, framing: string, body: string) {
  return send(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n${framing}\r\n\r\n${body}`,
  );
}

/** Sends so much of a body that is announced as twice as large, or as large as is said, and stops there. */
function sendHalf(path: string, bytes: number, authorization: string, announced = 2 * bytes) {
  return send(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n` +
      `content-type: application/json\r\ncontent-length: ${announced}\r\n\r\n${'x'.repeat(bytes)}`,
  );
}

describe('bodies that have not come whole', () => {
  it.each([
    ['without a key', '/v1/chat/completions', '', /^HTTP\/1.1 401 .*"code":"invalid_api_key"/s],
    ['to no path', '/v1/completions', 'key', /^HTTP\/1.1 404 /],
  ])('are not waited for %s', async (_, path, key, answer) => {
    const client = sendHalf(path, 100 * KIB, key && `Bearer ${harness.apiKey}`);
    await eventually(() => answer.test(client.received));
    // What still comes is thrown away, and the connection goes on.
    client.received = '';
    client.socket.write(`${'x'.repeat(100 * KIB)}GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n`);
    await eventually(() => client.received.startsWith('HTTP/1.1 200 '));
  });

  it.each([
    ['without a key', '/v1/chat/completions', 'content-length: 200000', 401],
    ['too large', '/v1/offers', 'content-length: 200000', 413],
    ['too large, in chunks', '/v1/offers', 'transfer-encoding: chunked', 413],
  ])('are read to their end where the answer closes the connection: %s', async (_, path, framing, status) => {
    const half = 'x'.repeat(100_000);
    const [first, rest] = framing.endsWith('chunked')
      ? [`186a0\r\n${half}\r\n`, `186a0\r\n${half}\r\n0\r\n\r\n`]
      : [half, half];
    const client = sendClosing(path, framing, first);
    await setTimeout(100);
    expect(client.received).toBe('');
    client.socket.write(rest);
    await eventually(() => client.socket.closed);
    expect(client.received.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  });

  it('are not waited for where the answer closes the connection and the client waits for it', async () => {
    const client = sendClosing('/v1/offers', `content-length: ${1024 ** 3}`, '{');
    await eventually(() => client.socket.closed);
    expect(client.received.slice(0, 12)).toBe('HTTP/1.1 413');
  });

  // In form, a key; who has it is asked when the body has come.
  const unknownKey = generateApiKey(ENVIRONMENTS.testnet.keyPrefix);

  it.each([
    ['sign-in', '/portal/api/session', 'x', 16 * KIB, 4096 * KIB],
    ['supply', '/v1/offers', 'x', 64 * KIB, 8192 * KIB],
    ['completions', '/v1/chat/completions', `Bearer ${unknownKey}`, 100 * KIB, 300 * KIB],
  ])('give way to others: %s', async (_, path, authorization, most, room) => {
    const headers = `${authorization}\r\norigin: ${harness.url}`;
    const stalled = Array.from({ length: room / most + 1 }, () => sendHalf(path, most - 1, headers, most));
    const answered = () => stalled.filter(({ received }) => received !== '');
    // One more than there is room for: the room is full now.
    await eventually(() => answered().length > 0);
    const init = {
      method: 'POST',
      headers: {
        authorization: `Bearer ${harness.apiKey}`,
        origin: harness.url,
        'content-type': 'application/json',
      },
    };
    for (let times = 0; times < 5; times++) {
      const reply = await fetch(`${harness.url}${path}`, { ...init, body: `{}${' '.repeat(KIB)}` });
      expect([reply.status, await reply.json()]).toMatchObject([400, { error: { code: 'invalid_request' } }]);
    }
    expect(answered().length).toBeLessThan(stalled.length);
    for (const { received, socket } of answered()) {
      expect(received).toMatch(/^HTTP\/1.1 503 .*"code":"no_capacity"/s);
      // It may stand under its Idempotency-Key as one that was charged.
      expect(received).not.toContain('Nothing was charged');
      expect(received.toLowerCase()).toContain('connection: close');
      await eventually(() => socket.closed);
    }
  });
});

describe('bodies that the portal’s page sends', () => {
  const wallet = `0x${'a1'.repeat(20)}`;

  it('are read for whoever has a session, as far as they are small', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const send = async (path: string, kib: number) =>
      (await visitor.send('POST', path, { filler: 'x'.repeat(kib * KIB) })).status;
    expect(await send('/keys', 60)).toBe(400);
    expect(await send('/keys', 70)).toBe(413);
  });

  it('are not read for anybody else, key or not', async () => {
    for (const path of ['/keys', '/playground/chat/completions']) {
      const reply = await fetch(`${harness.url}/portal/api${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${harness.apiKey}`, 'content-type': 'application/json' },
        body: 'x'.repeat(300 * KIB),
      });
      expect([path, reply.status]).toEqual([path, 401]);
    }
  });

  it('take no room from those who have a key', async () => {
    const { cookie } = (await PortalVisitor.signedIn(harness, wallet)).headers;
    const slow = sendHalf('/portal/api/playground/chat/completions', 250 * KIB, `x\r\ncookie: ${cookie}`);
    expect((await harness.post('x'.repeat(250 * KIB))).status).toBe(400);
    expect(slow.received).toBe('');
  });
});
