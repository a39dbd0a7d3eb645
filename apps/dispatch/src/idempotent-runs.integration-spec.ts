import type { StartRunRequest, StoreResponseRequest } from '@svc/contracts';
import { ResponseCipher } from '@svc/response-cipher';
import { NatsLink, PrivateNats, eventually } from '@svc/testing';
import { chunk, saying, startProvider, writeEvents } from './testing/provider.for-spec';
import type { Answer, TestProvider } from './testing/provider.for-spec';
import { runRequest } from './testing/run-request.for-spec';
import { RunningDispatch, TEST_RESPONSE_KEY } from './testing/running-dispatch.for-spec';
import { TestBilling } from './testing/test-billing.for-spec';
import { TestCatalogue } from './testing/test-catalogue.for-spec';
import { TestGateway } from './testing/test-gateway.for-spec';
import type { TestRun } from './testing/test-gateway.for-spec';

describe('an idempotent run', () => {
  let nats: PrivateNats;
  let link: NatsLink;
  let dispatch: RunningDispatch;
  let second: RunningDispatch;
  let gateway: TestGateway;
  let other: TestGateway;
  let billing: TestBilling;
  let catalogue: TestCatalogue;
  const providers: TestProvider[] = [];
  let offers = 0;

  beforeAll(async () => {
    nats = await PrivateNats.start();
    [billing, catalogue, gateway, other] = await Promise.all([
      TestBilling.start(nats),
      TestCatalogue.start(nats),
      TestGateway.start(nats),
      TestGateway.start(nats),
    ]);
    link = await NatsLink.open(nats, 'dispatch');
    dispatch = await RunningDispatch.startOver(link.messaging);
  });
  afterAll(async () => {
    await dispatch.stop();
    await link.close();
    gateway.stopBeating();
    other.stopBeating();
    await nats.close();
    await Promise.all(providers.map((provider) => provider.close()));
  });
  afterEach(() => {
    billing.answer = TestBilling.usual;
    billing.storing = 'ok';
  });

  async function offerFrom(answer: Answer): Promise<{ id: string; provider: TestProvider }> {
    const provider = await startProvider(answer);
    providers.push(provider);
    const id = `shared-${offers++}`;
    await catalogue.offer(id, provider.url);
    await dispatch.awaitOffer(id);
    return { id, provider };
  }

  /** A provider that says the first word at once, and the rest when told. */
  async function slowOffer(): Promise<{ id: string; provider: TestProvider; finish: () => void }> {
    const waiting: (() => void)[] = [];
    const offer = await offerFrom((request, response) => {
      if (request.body.stream === true) writeEvents(response, chunk({ content: 'first ' }));
      waiting.push(() => saying('and last')(request, response));
    });
    return { ...offer, finish: () => waiting.splice(0).forEach((go) => go()) };
  }

  /** A run without a key: dispatch stops it as soon as it notices that nobody can hear of it. */
  async function ordinaryRun(client: TestGateway): Promise<{ isStopped: () => boolean }> {
    const { id, provider } = await slowOffer();
    const run = client.run(runRequest([id]));
    await eventually(() => run.content === 'first ');
    return { isStopped: () => provider.requests[0]?.closedByCaller === true };
  }

  const start = (id: string, fields: Partial<StartRunRequest> = {}): TestRun =>
    gateway.run(runRequest([id], { idempotent: true, ...fields }));
  const stored = (run: TestRun): string => {
    const { hold } = run.request;
    const parts = billing.stored.filter(({ holdId }: StoreResponseRequest) => holdId === hold.holdId);
    const cipher = new ResponseCipher(TEST_RESPONSE_KEY);
    return cipher
      .open(
        hold,
        parts.map(({ bytes }) => Buffer.from(bytes, 'base64')),
      )
      .toString();
  };

  it.each([true, false])('stores its reply, charges, and then tells it (stream: %s)', async (stream) => {
    const { id } = await offerFrom(saying('a reply'));
    const order: string[] = [];
    billing.onStore = () => void order.push('stored');
    billing.answer = (request) => (order.push(request.outcome), TestBilling.usual(request));
    const run = start(id, { stream });
    expect((await run.ended()).type).toBe('end');
    expect(order).toEqual(['stored', 'post']);
    expect(stored(run)).toBe(run.text);
    expect(run.text).toContain('"cost_usdc":"0.000003"');
    // Nobody need confirm it.
    expect(await billing.deferred(run.request.requestId)).toEqual([]);
  });

  it('is interrupted by us, not broken off by its provider, when it is larger than what is kept', async () => {
    const words = 'x'.repeat(1024 * 1024);
    const { id } = await offerFrom((_request, response) => {
      writeEvents(response, ...Array.from({ length: 10 }, () => chunk({ content: words })));
      writeEvents(response, chunk({}, 'stop'), '[DONE]');
      response.end();
    });
    const run = start(id, { maxTokens: 200_000 });
    expect(await run.failed()).toMatchObject({ code: 'no_capacity', retryAfterSeconds: 1 });
    expect(run.frames.some(({ type }) => type === 'data')).toBe(true);
    expect(billing.of(run.request.requestId).map(({ outcome }) => outcome)).toEqual(['void']);
  });

  it('is charged and told as ever where there is no room for its reply, which is not sent further', async () => {
    const words = 'x'.repeat(512 * 1024);
    const { id } = await offerFrom((_request, response) => {
      writeEvents(response, ...Array.from({ length: 4 }, () => chunk({ content: words })));
      writeEvents(response, chunk({}, 'stop'), '[DONE]');
      response.end();
    });
    billing.storing = 'no_room';
    const run = start(id, { maxTokens: 2_000_000 });
    expect((await run.ended()).type).toBe('end');
    const { holdId } = run.request.hold;
    expect(billing.stored.filter((part) => part.holdId === holdId)).toMatchObject([{ part: 0 }]);
    expect(billing.of(holdId).map(({ outcome }) => outcome)).toEqual(['post']);
  });

  it('is followed from the first byte: under way, through another gateway, and after its end', async () => {
    const { id, finish } = await slowOffer();
    const run = start(id);
    await eventually(() => run.content === 'first ');
    const [joined, elsewhere] = [gateway.attach(run.request), other.attach(run.request)];
    await eventually(() => joined.content === 'first ' && elsewhere.content === 'first ');
    finish();
    const late = await Promise.all([run, joined, elsewhere].map((each) => each.ended())).then(() =>
      other.attach(run.request),
    );
    await late.ended();
    for (const each of [joined, elsewhere, late]) expect(each.text).toBe(run.text);
    expect(stored(run)).toBe(run.text);
    expect(billing.of(run.request.requestId)).toHaveLength(1);
  });

  it('is found by whoever asks for it before it begins, and by whichever dispatch has it', async () => {
    second = await RunningDispatch.start(nats);
    const { id } = await offerFrom(saying('early'));
    await second.awaitOffer(id);
    for (let round = 0; round < 6; round++) {
      const request = runRequest([id], { idempotent: true });
      // In this order, and no moment apart, over the one connection: whoever is early is not waited for long.
      const early = gateway.attach(request);
      const run = gateway.run(request);
      expect((await run.ended()).type).toBe('end');
      await early.ended();
      expect(early.text).toBe(run.text);
    }
    await second.stop();
  });

  it('answers nobody who asks for what it has not', async () => {
    const stray = gateway.attach(runRequest([], { idempotent: true }));
    const { id } = await offerFrom(saying('something else'));
    await start(id).ended();
    expect(stray.frames).toEqual([]);
  });

  it('goes on without its client, and without its gateway', async () => {
    const { id, provider, finish } = await slowOffer();
    const [left, orphan] = [start(id), other.run(runRequest([id], { idempotent: true }))];
    const ordinary = await ordinaryRun(other);
    await eventually(() => left.content === 'first ' && orphan.content === 'first ');
    left.detach();
    other.stopBeating();
    await eventually(ordinary.isStopped);
    await eventually(async () => (await dispatch.metric(/^svc_dispatch_runs_in_flight/)) === 2);
    expect(provider.requests.map(({ closedByCaller }) => closedByCaller)).toEqual([false, false]);
    finish();
    other.startBeating();
    for (const run of [left, orphan]) {
      const again = gateway.attach(run.request);
      expect((await again.ended()).type).toBe('end');
      expect(again.content).toBe('first and last');
      expect(stored(run)).toBe(again.text);
      expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'post' }]);
      // Those who left hear no more.
      expect(run.content).toBe('first ');
    }
  });

  it('is slowed by nobody', async () => {
    const text = 'long '.repeat(15_000);
    const { id } = await offerFrom(saying(text));
    gateway.grants = false;
    const slow = start(id, { maxTokens: 100_000 });
    const fast = other.attach(slow.request);
    expect((await fast.ended()).type).toBe('end');
    gateway.grants = true;
    expect(fast.content === text).toBe(true);
    await eventually(() => slow.last?.type === 'data');
    while (slow.last?.type !== 'end') {
      slow.grant(256 * 1024);
      await gateway.messaging.connection.flush();
    }
    expect(slow.text === fast.text).toBe(true);
  });

  it('fails when its many chunks grow beyond what can be kept', async () => {
    const { id } = await offerFrom(saying('long '.repeat(40_000)));
    const run = start(id, { maxTokens: 100_000 });
    expect(await run.failed()).toMatchObject({ code: 'no_capacity' });
    expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'void' }]);
  });

  it('stops when its gateway has let go of the hold', async () => {
    const { id, provider } = await slowOffer();
    const run = start(id);
    const follower = other.attach(run.request);
    await eventually(() => follower.content === 'first ');
    run.cancel();
    expect((await run.ended()).type).toBe('failure');
    expect((await follower.ended()).type).toBe('failure');
    await eventually(() => provider.requests[0]?.closedByCaller === true);
    expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'void', reason: 'cancelled' }]);
    // Nothing of it is found again.
    const late = other.attach(run.request);
    await dispatch.metric(/^svc_dispatch_runs_in_flight/);
    expect(late.frames).toEqual([]);
  });

  it.each<[string, () => void, string]>([
    ['its key is another’s by then', () => (billing.storing = 'refused'), 'not_stored'],
    [
      'its hold was let go of meanwhile',
      () => (billing.answer = () => ({ state: 'late', charged: '0' })),
      'not_charged',
    ],
  ])('is told as failed when %s: nothing stands under the key', async (_, prepare, reason) => {
    const { id } = await offerFrom(saying('too late'));
    prepare();
    const run = start(id, { stream: false });
    expect(await run.failed()).toMatchObject({ code: 'no_capacity', retryAfterSeconds: 1 });
    await eventually(() => billing.of(run.request.requestId).some((each) => each.reason === reason));
  });

  it('waits for billing to store its reply, and charges through the queue when it is away after that', async () => {
    const { id } = await offerFrom(saying('patience'));
    billing.storing = 'silent';
    const run = start(id, { stream: false });
    await eventually(() => billing.stored.some(({ holdId }) => holdId === run.request.requestId));
    expect(run.last?.type).not.toBe('end');
    billing.storing = 'ok';
    billing.answer = () => undefined;
    expect((await run.ended()).type).toBe('end');
    expect(await billing.awaitDeferred(run.request.requestId)).toMatchObject([{ outcome: 'post' }]);
  });

  it.each([
    [500, 'no_capacity'],
    [400, 'invalid_request'],
    [413, 'invalid_request'],
    [422, 'invalid_request'],
  ])('costs nothing when no provider serves (%d: %s), and is not kept', async (status, code) => {
    const { id } = await offerFrom((_request, response) => response.writeHead(status).end());
    const run = start(id);
    expect(await run.failed()).toMatchObject({ code });
    expect(billing.of(run.request.requestId)).toMatchObject([
      { outcome: 'void', reason: code, failure: { code } },
    ]);
    expect(billing.stored.some(({ holdId }) => holdId === run.request.requestId)).toBe(false);
  });

  it('goes on when NATS is lost; whoever listened is told to come again, and finds it', async () => {
    const { id, provider, finish } = await slowOffer();
    const run = start(id);
    const ordinary = await ordinaryRun(gateway);
    await eventually(() => run.content === 'first ');
    link.cut();
    await eventually(ordinary.isStopped);
    link.restore();
    const frame = await eventually(() => (run.last?.type === 'failure' ? run.last : undefined));
    expect(frame.payload.toString()).toContain('same Idempotency-Key');
    expect(provider.requests[0]?.closedByCaller).toBe(false);
    const again = gateway.attach(run.request);
    await eventually(() => again.content === 'first ');
    finish();
    expect((await again.ended()).type).toBe('end');
    expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'post' }]);
  });
});
