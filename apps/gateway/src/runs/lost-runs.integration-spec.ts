import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { encodeFrame } from '@svc/contracts';
import { NatsLink, eventually } from '@svc/testing';
import { INSTANCE, SILENT_INSTANCE } from '../testing/fake-dispatch.for-spec';
import type { FakeRun } from '../testing/fake-dispatch.for-spec';
import { wallet } from '../testing/fake-billing.for-spec';
import { AckPolicy, DeliverPolicy, nanos } from 'nats';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';

const harness = new GatewayHarness();
beforeAll(() => harness.start());
afterAll(() => harness.stop());

const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 };
const streamed = { ...request, stream: true };

async function abandonOf(run: FakeRun): Promise<unknown> {
  return eventually(() => harness.billing.settlements.get(`${run.request.hold.holdId}:abandon`));
}

async function expectGivenUp(run: FakeRun, reason: string): Promise<void> {
  const { requestId } = run.request;
  // Its owner finds what the client was told.
  const failure = { code: 'no_capacity' };
  expect(await abandonOf(run)).toEqual({ holdId: requestId, wallet, outcome: 'abandon', reason, failure });
  await eventually(() => harness.dispatch.cancels.includes(requestId));
  expect(harness.dispatch.delivered).not.toContain(requestId);
}

function expectNothingLeft(): Promise<unknown> {
  return eventually(() => {
    const { plain, stream } = harness.runs.count();
    return plain + stream === 0;
  });
}

describe('a run that is lost', () => {
  afterEach(expectNothingLeft);

  it('fails when a frame is missing', async () => {
    const replied = harness.post(streamed);
    const run = await harness.dispatch.nextRun();
    run.send('data', 'data: 1\n\n');
    const reply = await replied;
    run.sequence++;
    run.send('end', 'data: {"svc":{"cost_usdc":"1.000000"}}\n\n');
    const text = await reply.text();
    expect(text).toMatch(
      /^data: 1\n\ndata: .*"code":"no_capacity".*"cost_usdc":"0\.000000".*\n\ndata: \[DONE\]\n\n$/,
    );
    await expectGivenUp(run, 'lost_frames');
  });

  it.each<[string, (run: FakeRun) => void]>([
    ['the first frame is missing', (run) => ((run.sequence = 1), run.send('end', '{}'))],
    ['a frame comes twice', (run) => (run.send('accepted'), (run.sequence = 0), run.send('end', '{}'))],
    ['another instance goes on', (run) => (run.send('accepted'), run.send('end', '{}', 'disp0002'))],
    ['what comes is no frame', (run) => run.sendRaw(Buffer.from('{"ok":true}'))],
    [
      'a frame has an unknown type',
      (run) => {
        const bytes = encodeFrame({ type: 'end', sequence: 0, instanceId: INSTANCE, payload: '{}' });
        bytes[0] = 'x'.charCodeAt(0);
        run.sendRaw(bytes);
      },
    ],
  ])('fails when %s', async (_, act) => {
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    act(run);
    const reply = await replied;
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(await reply.json()).toMatchObject({ error: { code: 'no_capacity', type: 'server_error' } });
    await expectGivenUp(run, 'lost_frames');
  });

  it('is none for what others have JetStream write where its frames are waited for', async () => {
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    const [{ connection: gateway }, { connection: catalog }] = [
      await harness.nats.connectAs('gateway'),
      await harness.nats.connectAs('catalog'),
    ];
    let [answers, heartbeats] = [0, 0];
    gateway.subscribe(run.inbox, {
      callback: (_, { headers }) => void (headers?.code === 100 ? heartbeats++ : answers++),
    });
    await gateway.flush();
    catalog.publish('$JS.API.INFO', '', { reply: run.inbox });
    const { consumers } = await catalog.jetstreamManager();
    await consumers.add('KV_catalog_models', {
      deliver_subject: run.inbox,
      deliver_policy: DeliverPolicy.New,
      ack_policy: AckPolicy.None,
      idle_heartbeat: nanos(100),
    });
    await eventually(() => answers === 1 && heartbeats > 0);
    run.complete();
    expect((await replied).status).toBe(200);
  });

  it('takes a broken failure frame for an internal error', async () => {
    const replied = harness.post(request);
    (await harness.dispatch.nextRun()).send('failure', 'oh no');
    expect((await replied).status).toBe(500);
  });

  it('fails when nobody listens', async () => {
    await harness.dispatch.deafen();
    const reply = await harness.post(request);
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('5');
    const requestId = reply.headers.get('x-svc-request-id') ?? '';
    await eventually(() => harness.billing.settlements.has(`${requestId}:abandon`));
    await harness.dispatch.listen();
  });

  it('fails when nobody takes it up within 3 s', async () => {
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    harness.pass(2_900);
    harness.pass(100);
    expect((await replied).status).toBe(503);
    await expectGivenUp(run, 'not_accepted');
    // Whoever takes it up later talks to nobody.
    run.complete();
  });

  it('fails after 330 s of silence, and not before', async () => {
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    run.send('accepted');
    const { requestId } = run.request;
    await harness.settled();
    harness.pass(0);
    harness.pass(329_000);
    await harness.heard();
    expect(harness.dispatch.cancels).not.toContain(requestId);
    harness.pass(1_500);
    expect((await replied).status).toBe(503);
    await expectGivenUp(run, 'silence');
  });

  it('is none that dispatch says it is still working on, however long that takes', async () => {
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    for (let minutes = 0; minutes < 60; minutes += 2) {
      run.send('accepted');
      await harness.settled();
      harness.pass(120_000);
    }
    run.send('end', '{"svc":{"cost_usdc":"0.000001"}}');
    expect((await replied).status).toBe(200);
  });

  it('fails when its dispatch instance falls silent', async () => {
    const replied = harness.post(streamed);
    const other = harness.post(streamed);
    const [run, survivor] = [await harness.dispatch.nextRun(), await harness.dispatch.nextRun()];
    run.send('data', 'data: 1\n\n', SILENT_INSTANCE);
    survivor.send('data', 'data: 1\n\n');
    // Only the silent instance's run is given up; the other one goes on.
    await expectGivenUp(run, 'dispatch_lost');
    survivor.send('end', 'data: [DONE]\n\n');
    const texts = await Promise.all([replied, other].map(async (reply) => (await reply).text()));
    expect(texts.filter((text) => text === 'data: 1\n\ndata: [DONE]\n\n')).toHaveLength(1);
    expect(texts.filter((text) => text.includes('"code":"no_capacity"'))).toHaveLength(1);
    await harness.settled();
    expect(harness.billing.settlements.has(`${survivor.request.hold.holdId}:abandon`)).toBe(false);
  });
});

describe('a client that is gone', () => {
  afterEach(expectNothingLeft);

  it.each([['stream'], ['plain']])(
    'stops its %s at once, before any time has passed; the outcome is then dispatch’s',
    async (kind) => {
      const abort = new AbortController();
      const replied = harness.post(kind === 'stream' ? streamed : request, { signal: abort.signal });
      replied.catch(() => undefined);
      const run = await harness.dispatch.nextRun();
      run.send('accepted');
      if (kind === 'stream') {
        run.send('data', 'data: 1\n\n');
        await replied;
      }
      abort.abort();
      await eventually(() => harness.dispatch.cancels.includes(run.request.requestId));
      run.send('end', 'data: [DONE]\n\n');
      await eventually(() => harness.dispatch.delivered.includes(run.request.requestId));
      expect(harness.billing.settlements.has(`${run.request.hold.holdId}:abandon`)).toBe(false);
      await eventually(() =>
        harness.logLines.some(
          (line) => line.includes(run.request.requestId) && line.includes('client_closed'),
        ),
      );
    },
  );

  it('is forgotten when dispatch says nothing more', async () => {
    const abort = new AbortController();
    harness.post(request, { signal: abort.signal }).catch(() => undefined);
    const run = await harness.dispatch.nextRun();
    run.send('accepted');
    await harness.settled();
    harness.pass(0);
    abort.abort();
    await eventually(() => harness.dispatch.cancels.includes(run.request.requestId));
    harness.pass(31_000);
    harness.pass(31_000);
    await expectNothingLeft();
    expect(harness.billing.settlements.has(`${run.request.hold.holdId}:abandon`)).toBe(false);
  });

  it('leaves no hold when it goes between admission and start', async () => {
    const abort = new AbortController();
    harness.billing.beforeAdmission = async () => {
      abort.abort();
      const { length } = harness.logLines;
      await eventually(() => harness.logLines.slice(length).some((line) => line.includes('client_closed')));
    };
    await expect(harness.post(request, { signal: abort.signal })).rejects.toThrow();
    harness.billing.beforeAdmission = () => Promise.resolve();
    const holdId = harness.billing.admissions.at(-1)?.requestId ?? '';
    const settlement = await eventually(() => harness.billing.settlements.get(`${holdId}:abandon`));
    expect(settlement).toMatchObject({ outcome: 'abandon', reason: 'client_gone' });
    await harness.heard();
    expect(harness.dispatch.runs).toHaveLength(0);
  });
});

describe('a client that reads nothing', () => {
  it('gets no more than the window and is cut off after 30 s', async () => {
    const accepted = once(harness.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const socket = await openRaw(streamed);
    socket.pause();
    const [reply] = await accepted;
    const run = await harness.dispatch.nextRun();
    const { requestId } = run.request;
    const chunk = `data: ${'x'.repeat(60 * 1024)}\n\n`;
    const credited = () =>
      harness.dispatch.credits
        .filter((each) => each.requestId === requestId)
        .reduce((sum, { bytes }) => sum + bytes, 0);
    // What a dispatch would do: a window of 256 KiB, then as much as is credited.
    let sent = 0;
    let looks = 0;
    await eventually(
      async () => {
        // What was sent has come to the gateway, and what it said to that has come here.
        await harness.heard();
        const isFull = sent + chunk.length > 256 * 1024 + credited();
        if (!isFull) {
          run.send('data', chunk);
          sent += chunk.length;
        }
        // The system's buffers are full as well: it takes no more from the gateway, and that at several looks.
        looks = isFull && reply.writableNeedDrain ? looks + 1 : 0;
        return looks > 5;
      },
      { timeoutMs: 30_000, intervalMs: 5 },
    );
    harness.pass(0);
    harness.pass(29_999);
    expect(reply.destroyed).toBe(false);
    harness.pass(1);
    expect(reply.destroyed).toBe(true);
    await eventually(() => harness.dispatch.cancels.includes(requestId));
    run.send('failure', JSON.stringify({ code: 'internal_error', message: 'cancelled' }));
    socket.destroy();
    await expectNothingLeft();
  });
});

describe('when NATS is gone for this gateway alone', () => {
  it('stops its runs once it is back: what was said meanwhile is lost', async () => {
    const link = await NatsLink.open(harness.nats, 'gateway');
    const gateway = await harness.startAnother({}, link.messaging);
    const replied = harness.post(streamed, { at: gateway.url });
    const run = await harness.dispatch.nextRun();
    run.send('data', 'data: 1\n\n');
    const reply = await replied;
    link.cut();
    expect(await reply.text()).toContain('"code":"no_capacity"');
    await eventually(() => link.refusals > 0);
    expect(harness.dispatch.cancels).not.toContain(run.request.requestId);
    link.restore();
    await expectGivenUp(run, 'nats_lost');
    await gateway.stop();
    await link.close();
  });
});

describe('when NATS is gone', () => {
  it('running requests fail, new ones are refused, and all works again afterwards', async () => {
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    run.send('accepted');
    await harness.nats.stop();
    expect((await replied).status).toBe(503);
    const refused = await harness.post(request);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]$/);
    expect((await fetch(`${harness.url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${harness.url}/health/live`)).status).toBe(200);
    expect((await fetch(`${harness.url}/v1/models`)).status).toBe(200);
    await harness.nats.startAgain();
    expect(await abandonOf(run)).toMatchObject({ outcome: 'abandon', reason: 'nats_lost' });
    await eventually(async () => (await fetch(`${harness.url}/health/ready`)).ok);
    harness.dispatch.runs = [];
    harness.dispatch.onRun = (each) => each.complete();
    await eventually(async () => (await harness.post(request)).status === 200);
  });
});

function openRaw(body: object): Promise<Socket> {
  const { hostname, port } = new URL(harness.url);
  const text = JSON.stringify(body);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${harness.apiKey}\r\n` +
          `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
      resolve(socket);
    });
    socket.on('error', () => undefined);
  });
}
