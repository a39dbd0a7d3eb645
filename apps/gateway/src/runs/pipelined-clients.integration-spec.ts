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

/** The stream that all wait for, and the runs behind it in their order. */
async function startedRuns(count: number): Promise<[FakeRun, ...FakeRun[]]> {
  const runs: FakeRun[] = [];
  while (runs.length < count) runs.push(await harness.dispatch.nextRun());
  const [first, ...others] = runs;
  if (!first) throw new Error('no run');
  return [first, ...others];
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

describe('a client that is gone while its replies wait behind a stream', () => {
  afterEach(expectNothingLeft);

  it('stops all its runs, leaves no hold, and nothing of a stored reply', async () => {
    harness.billing.standing = { state: 'completed', holdId: ORIGINAL, reply: sealed('{"it":"was"}') };
    const goneBefore = linesOfTheGone();
    const client = new PipeliningClient().ask(
      wireText(streamed),
      wireText(request),
      wireText(request),
      wireText(request, 'key-1'),
    );
    const [stream, taken, untaken] = await startedRuns(3);
    stream.send('data', 'data: 1\n\n');
    taken?.send('accepted');
    await eventually(() => repliesUnderWay() === 4 && client.received.includes('data: 1'));
    await harness.settled();

    client.leave();
    await eventually(() => [stream, taken, untaken].every((run) => run && isToldToStop(run)));
    await eventually(() => linesOfTheGone() === goneBefore + 4);
    // What was taken is dispatch's to end; what nobody took, the gateway lets go of.
    for (const run of [stream, taken]) run?.send('failure', CANCELLED);
    await eventually(() => repliesUnderWay() <= 1);
    harness.pass(3_000);
    const holdId = untaken?.request.hold.holdId ?? '';
    expect(await eventually(() => harness.billing.settlements.get(`${holdId}:abandon`))).toEqual({
      holdId,
      wallet,
      outcome: 'abandon',
      reason: 'not_accepted',
    });
  });

  it('follows no run of another request any more', async () => {
    harness.billing.standing = { state: 'running', holdId: ORIGINAL };
    const client = new PipeliningClient().ask(wireText(streamed), wireText(request, 'key-1'));
    const [stream] = await startedRuns(1);
    stream.send('accepted');
    const { frames } = await eventually(() => harness.dispatch.attaches[0]);
    frames.send('accepted');
    await eventually(() => repliesUnderWay() === 2);
    client.leave();
    await eventually(() => harness.dispatch.detaches.includes(frames.subscriberId));
    await eventually(() => isToldToStop(stream));
    stream.send('failure', CANCELLED);
  });

  it('leaves no hold when it goes between admission and start', async () => {
    const client = new PipeliningClient().ask(wireText(streamed));
    const [stream] = await startedRuns(1);
    const goneBefore = linesOfTheGone();
    harness.billing.beforeAdmission = async () => {
      client.leave();
      await eventually(() => linesOfTheGone() === goneBefore + 2);
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
    await eventually(() => isToldToStop(stream));
    stream.send('failure', CANCELLED);
  });
});

describe('a reply that waits behind a stream', () => {
  it('comes whole in its turn, however long the stream takes', async () => {
    harness.billing.standing = { state: 'completed', holdId: ORIGINAL, reply: sealed('{"it":"was"}') };
    const client = new PipeliningClient().ask(
      wireText(streamed),
      wireText(request),
      wireText(streamed),
      wireText(request, 'key-1'),
    );
    const [stream, plain, second] = await startedRuns(3);
    stream.send('data', 'data: 1\n\n');
    plain?.complete();
    second?.send('data', 'data: 2\n\n');
    second?.send('end', 'data: [DONE]\n\n');
    await eventually(() => repliesUnderWay() === 4 && client.received.includes('data: 1'));
    await harness.settled();
    harness.pass(LONGER_THAN_A_STALL_MS);
    harness.pass(LONGER_THAN_A_STALL_MS);
    expect(client.received).not.toContain('"content":"Hi."');

    stream.send('end', 'data: [DONE]\n\n');
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
    const [plain, stream] = await startedRuns(2);
    // Node tells of each part that it cannot read.
    client.ask(NO_HTTP);
    await harness.settled();
    stream?.send('data', 'data: 1\n\n');
    stream?.send('end', 'data: [DONE]\n\n');
    plain.complete();
    await eventually(() => client.isClosed);
    expect(client.received).toMatch(
      /^HTTP\/1\.1 200 .*"content":"Hi\.".*HTTP\/1\.1 200 .*data: 1\n\n.*\[DONE\].*HTTP\/1\.1 400 .*"code":"invalid_request"/s,
    );
    expect(client.received.match(/HTTP\/1\.1 /g)).toHaveLength(3);
    expect([plain, stream].some((run) => run && isToldToStop(run))).toBe(false);
  });

  it.each(['leave', 'end'] as const)('are stopped when their client is gone: %s', async (how) => {
    const client = new PipeliningClient().ask(wireText(streamed), NO_HTTP);
    const [stream] = await startedRuns(1);
    stream.send('accepted');
    await harness.heard();
    expect(isToldToStop(stream)).toBe(false);
    client[how]();
    await eventually(() => isToldToStop(stream));
    stream.send('failure', CANCELLED);
  });

  it('are stopped when their client ends its side in the middle of the next', async () => {
    const client = new PipeliningClient().ask(wireText(streamed), 'GET /v1/mod');
    const [stream] = await startedRuns(1);
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
