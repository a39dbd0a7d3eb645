import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { ResponseCipher } from '@svc/response-cipher';
import { eventually } from '@svc/testing';
import { wallet } from '../testing/fake-billing.for-spec';
import type { FakeRun } from '../testing/fake-dispatch.for-spec';
import { GatewayHarness, TEST_RESPONSE_KEY } from '../testing/gateway-harness.for-spec';

const harness = new GatewayHarness();
beforeAll(() => harness.start());
afterAll(() => harness.stop());

const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 };
const streamed = { ...request, stream: true };
const ORIGINAL = 'req_original1';
const LONGER_THAN_A_STALL_MS = 31_000;
/** Dispatch's word on a run that it was told to stop. */
const CANCELLED = JSON.stringify({ code: 'internal_error', message: 'cancelled' });

/** The request as it stands on the wire. @param idempotencyKey none unless told */
function wireText(body: object, idempotencyKey?: string): string {
  const text = JSON.stringify(body);
  const key = idempotencyKey === undefined ? '' : `idempotency-key: ${idempotencyKey}\r\n`;
  return (
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${harness.apiKey}\r\n${key}` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
}

/** One connection, and what has come on it. */
class PipeliningClient {
  received = '';
  private readonly socket: Socket;

  constructor() {
    const { hostname, port } = new URL(harness.url);
    this.socket = connect(Number(port), hostname);
    this.socket.on('data', (chunk: Buffer) => (this.received += chunk.toString()));
  }

  /** In one write, without waiting for replies. */
  ask(...requests: string[]): this {
    this.socket.write(requests.join(''));
    return this;
  }

  get isClosed(): boolean {
    return this.socket.closed;
  }

  leave(): void {
    this.socket.destroy();
  }

  /** As `leave`, having said that nothing more comes. */
  end(): void {
    this.socket.end();
  }
}

function repliesUnderWay(): number {
  const { plain, stream } = harness.runs.count();
  return plain + stream;
}

const expectNothingLeft = () => eventually(() => repliesUnderWay() === 0);

const sealed = (text: string) =>
  new ResponseCipher(TEST_RESPONSE_KEY).seal({ wallet, holdId: ORIGINAL }, Buffer.from(text));

const isToldToStop = ({ request: { requestId } }: FakeRun) => harness.dispatch.cancels.includes(requestId);

const linesOfTheGone = () => harness.logLines.filter((line) => line.includes('client_closed')).length;

beforeEach(() => {
  harness.billing.standing = undefined;
});

describe('a client that is gone', () => {
  afterEach(expectNothingLeft);

  it('stops what was begun; of what it sent ahead nothing is held, run or told', async () => {
    harness.billing.standing = { state: 'completed', holdId: ORIGINAL, reply: sealed('{"it":"was"}') };
    const [goneBefore, heldBefore] = [linesOfTheGone(), harness.billing.admissions.length];
    const client = new PipeliningClient().ask(
      wireText(streamed),
      wireText(streamed),
      wireText(request),
      wireText(request, 'key-1'),
    );
    const stream = await harness.dispatch.nextRun();
    stream.send('data', 'data: 1\n\n');
    await eventually(() => client.received.includes('data: 1'));
    await harness.settled();
    expect(repliesUnderWay()).toBe(1);

    client.leave();
    await eventually(() => isToldToStop(stream));
    stream.send('failure', CANCELLED);
    await eventually(() => linesOfTheGone() === goneBefore + 1);
    await harness.settled();
    expect(harness.billing.admissions).toHaveLength(heldBefore + 1);
    expect(harness.dispatch.runs).toEqual([]);
  });

  it('leaves no hold when it goes between admission and start', async () => {
    const goneBefore = linesOfTheGone();
    const client = new PipeliningClient();
    harness.billing.beforeAdmission = async () => {
      client.leave();
      await eventually(() => linesOfTheGone() === goneBefore + 1);
    };
    client.ask(wireText(request));
    const settled = await eventually(() =>
      [...harness.billing.settlements.values()].find(({ reason }) => reason === 'client_gone'),
    );
    harness.billing.beforeAdmission = () => Promise.resolve();
    const { requestId } = harness.billing.admissions.at(-1) ?? {};
    expect(settled).toMatchObject({ outcome: 'abandon', holdId: requestId });
    await harness.heard();
    expect(harness.dispatch.runs).toEqual([]);
  });
});

describe('a request that was sent ahead', () => {
  it('is served in its turn, however long those before it take', async () => {
    harness.billing.standing = { state: 'completed', holdId: ORIGINAL, reply: sealed('{"it":"was"}') };
    const client = new PipeliningClient().ask(
      wireText(streamed),
      wireText(request),
      wireText(streamed),
      wireText(request, 'key-1'),
    );
    const first = await harness.dispatch.nextRun();
    first.send('data', 'data: 1\n\n');
    await eventually(() => client.received.includes('data: 1'));
    await harness.settled();
    harness.pass(LONGER_THAN_A_STALL_MS);
    harness.pass(LONGER_THAN_A_STALL_MS);
    expect(harness.dispatch.runs).toEqual([]);

    first.send('end', 'data: [DONE]\n\n');
    (await harness.dispatch.nextRun()).complete();
    const second = await harness.dispatch.nextRun();
    second.send('data', 'data: 2\n\n');
    second.send('end', 'data: [DONE]\n\n');
    await eventually(() => client.received.endsWith('{"it":"was"}'));
    expect(client.received).toMatch(
      /data: 1\n\n.*\[DONE\].*"content":"Hi\.".*data: 2\n\n.*\[DONE\].*\r\n\r\n/s,
    );
    await expectNothingLeft();
    client.leave();
  });
});

describe('requests that came whole before something that is no request', () => {
  afterEach(expectNothingLeft);

  const NO_HTTP = 'no HTTP\r\n\r\n';
  const brokenBody = () =>
    wireText(request)
      .replace(/content-length: \d+/, 'transfer-encoding: chunked')
      .replace('{', 'no size\r\n{');

  it.each([
    ['no HTTP', () => NO_HTTP],
    ['a request whose body is broken', brokenBody],
  ])('are answered before %s is', async (_, third) => {
    const client = new PipeliningClient().ask(wireText(request), wireText(streamed), third());
    const plain = await harness.dispatch.nextRun();
    // Node tells of each part that it cannot read.
    client.ask(NO_HTTP);
    await harness.settled();
    plain.complete();
    const stream = await harness.dispatch.nextRun();
    stream.send('data', 'data: 1\n\n');
    stream.send('end', 'data: [DONE]\n\n');
    await eventually(() => client.isClosed);
    expect(client.received).toMatch(
      /^HTTP\/1\.1 200 .*"content":"Hi\.".*HTTP\/1\.1 200 .*data: 1\n\n.*\[DONE\].*HTTP\/1\.1 400 .*"code":"invalid_request"/s,
    );
    expect(client.received.match(/HTTP\/1\.1 /g)).toHaveLength(3);
    expect([plain, stream].some(isToldToStop)).toBe(false);
  });

  it.each(['leave', 'end'] as const)('are stopped when their client is gone: %s', async (how) => {
    const client = new PipeliningClient().ask(wireText(streamed), NO_HTTP);
    const stream = await harness.dispatch.nextRun();
    stream.send('accepted');
    await harness.heard();
    expect(isToldToStop(stream)).toBe(false);
    client[how]();
    await eventually(() => isToldToStop(stream));
    stream.send('failure', CANCELLED);
  });

  it('are stopped when their client ends its side in the middle of the next', async () => {
    const client = new PipeliningClient().ask(wireText(streamed), 'GET /v1/mod');
    const stream = await harness.dispatch.nextRun();
    stream.send('accepted');
    client.end();
    await eventually(() => isToldToStop(stream));
    stream.send('failure', CANCELLED);
  });
});

describe('a request that is answered before its body has come', () => {
  it('is answered once, though the rest is no body', async () => {
    const [head = ''] = wireText(request)
      .replace('/v1/chat/completions', '/v1/nothing')
      .replace(/content-length: \d+/, 'transfer-encoding: chunked')
      .split('{', 1);
    const client = new PipeliningClient().ask(head, '1\r\n{\r\n');
    await eventually(() => client.received.includes('"code":"invalid_request"'));
    client.ask('no size\r\n');
    await eventually(() => client.isClosed);
    expect(client.received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404']);
  });
});
