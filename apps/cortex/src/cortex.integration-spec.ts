import { CATALOG_BUCKETS, DISPATCH_SUBJECTS, catalogKey, cortexContracts } from '@svc/contracts';
import type { CreatePlanRequest, HealthReport, OfferView, Plan } from '@svc/contracts';
import { KvView, RpcClient, RpcUnavailableError } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import type { ListeningService } from '@svc/service-host';
import { PrivateNats, eventually } from '@svc/testing';
import type { KV } from 'nats';
import { DEAR, MODEL, PATIENTLY, PROVIDER, startCortex, viewOf } from './running-cortex.for-spec';

let nats: PrivateNats;
let cortex: ListeningService;
let gateway: RpcClient;
let dispatch: Messaging;
let bucket: KV;

async function readiness(): Promise<{ status: number; body: string }> {
  const response = await fetch(`${await cortex.app.getUrl()}/health/ready`);
  return { status: response.status, body: await response.text() };
}

/** Publishes an offer as the catalogue does. */
async function publish(offerId: string, changes: Partial<OfferView> = {}): Promise<void> {
  await bucket.put(catalogKey(offerId), JSON.stringify(viewOf(offerId, changes)));
}

function plan(changes: Partial<CreatePlanRequest> = {}): Promise<Plan> {
  const request = {
    requestId: 'req_1',
    model: MODEL,
    inputEstimate: 1_000,
    inputLeast: 600,
    maxTokens: 1_000,
    ...changes,
  };
  return gateway.call(cortexContracts.createPlan, request, PATIENTLY);
}

async function order(changes: Partial<CreatePlanRequest> = {}): Promise<string[]> {
  return (await plan(changes)).attempts.map(({ offerId }) => offerId);
}

function tell(report: HealthReport | string): void {
  const payload = typeof report === 'string' ? report : JSON.stringify(report);
  dispatch.connection.publish(DISPATCH_SUBJECTS.health, payload);
}

/** @param meanwhile done before each try */
async function untilOrder(expected: string[], meanwhile: () => void = () => undefined): Promise<void> {
  await eventually(async () => {
    meanwhile();
    return JSON.stringify(await order()) === JSON.stringify(expected);
  });
}

beforeAll(async () => {
  nats = await PrivateNats.start();
  cortex = await startCortex(nats);
  gateway = new RpcClient(await nats.connectAs('gateway'));
  dispatch = await nats.connectAs('dispatch');
});

afterAll(async () => {
  await cortex.app.close();
  await nats.close();
});

describe('cortex', () => {
  it('is not ready before the catalogue has published, and soon leaves requests to others that know its offers', async () => {
    expect(await readiness()).toMatchObject({
      status: 503,
      body: expect.stringContaining('not loaded') as string,
    });
    await eventually(() =>
      plan().then(
        () => false,
        (error: unknown) => error instanceof RpcUnavailableError,
      ),
    );
  });

  it('plans by price once offers are published, with their terms pinned', async () => {
    const catalog = await nats.connectAs('catalog');
    bucket = await catalog.connection.jetstream().views.kv(CATALOG_BUCKETS.offers, { history: 1 });
    await publish('dear', DEAR);
    // It takes requests again.
    await eventually(() => plan().then(({ attempts }) => attempts.length > 0));
    await publish('cheap');
    await eventually(async () => (await readiness()).status === 200);
    await untilOrder(['cheap', 'dear']);
    expect((await plan()).attempts[0]).toEqual({
      offerId: 'cheap',
      model: MODEL,
      provider: PROVIDER,
      bundleId: 'cheap-bundle',
      profileId: 'cpu-8k',
      inputPricePerMtok: '100000',
      outputPricePerMtok: '400000',
      why: expect.stringMatching(
        /^cheapest: 500 base units at most, \d+ of 1000 places taken, 0% errors$/,
      ) as string,
    });
  });

  it('never plans another model, nor an offer whose context is too small', async () => {
    await publish('small', { contextLimit: 2_000 });
    await eventually(async () => (await order()).includes('small'));
    expect(await order({ maxTokens: 1_401 })).toEqual(['cheap', 'dear']);
    await expect(plan({ inputEstimate: 12_000, inputLeast: 7_200 })).resolves.toEqual({
      attempts: [],
      retryAfterSeconds: 30,
    });
    await expect(plan({ model: 'svc/other@1' })).resolves.toEqual({ attempts: [], retryAfterSeconds: 5 });
    await bucket.delete(catalogKey('small'));
    await untilOrder(['cheap', 'dear']);
  });

  it('plans only offers that are certified for all that is asked', async () => {
    const certified = { certificationId: 'crt_2', structuredOutputs: true, maxOutputTokens: 4_096 };
    await publish('dear', { ...DEAR, certified });
    await eventually(async () => (await order({ needs: { structuredOutputs: true } })).length === 1);
    expect(await order({ needs: { structuredOutputs: true } })).toEqual(['dear']);
    expect(await order({ needs: { toolChoice: 'auto' } })).toEqual(['cheap']);
    expect(await order({ needs: {} })).toEqual(['cheap', 'dear']);
    for (const needs of [
      { toolChoice: 'required' },
      { toolChoice: 'auto', parallelToolCalls: true },
      { toolChoice: 'auto', structuredOutputs: true },
    ]) {
      await expect(plan({ needs })).resolves.toEqual({ attempts: [], retryAfterSeconds: 30 });
    }
    await publish('dear', {
      ...DEAR,
      certified: { ...certified, maxOutputTokens: 999 },
    });
    await untilOrder(['cheap']);
    expect(await order({ maxTokens: 999 })).toEqual(['cheap', 'dear']);
    await publish('dear', DEAR);
    await untilOrder(['cheap', 'dear']);
  });

  it('refuses needs that nobody is certified for', async () => {
    await expect(plan({ needs: { toolChoice: 'sometimes' } })).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'needs.toolChoice' },
    });
  });

  it('tries four offers at most', async () => {
    const another = { inputPricePerMtok: '1550000', provider: `0x${'b'.repeat(40)}` };
    for (const extra of ['x1', 'x2', 'x3']) await publish(extra, another);
    await eventually(async () => (await plan()).passedOver !== undefined);
    const { attempts, passedOver } = await plan();
    expect(attempts.map(({ offerId }) => offerId)).toHaveLength(4);
    expect(attempts[0]?.offerId).toBe('cheap');
    expect(passedOver).toMatchObject([{ why: expect.stringMatching(/^behind others, /) as string }]);
    for (const extra of ['x1', 'x2', 'x3']) await bucket.delete(catalogKey(extra));
    await untilOrder(['cheap', 'dear']);
  });

  it('moves a full offer back while it is full', async () => {
    const outcomes = { succeeded: 0, failed: 0, invalid: 0 };
    // Whoever is not heard of again counts as gone.
    await untilOrder(['dear', 'cheap'], () => {
      tell({ instanceId: 'one', offers: [{ offerId: 'cheap', inFlight: 500, ...outcomes }] });
      tell({ instanceId: 'two', offers: [{ offerId: 'cheap', inFlight: 500, ...outcomes }] });
    });
    tell({ instanceId: 'one', offers: [] });
    tell({ instanceId: 'two', offers: [] });
    await untilOrder(['cheap', 'dear']);
  });

  it('refuses malformed reports, counts them, and hears the next one', async () => {
    const reported = { succeeded: 0, failed: 3, invalid: 0, inFlight: 0 };
    tell('not JSON');
    tell('{"instanceId":"one"}');
    tell(JSON.stringify({ instanceId: 'one', offers: [{ offerId: 'dear', ...reported, failed: -1 }] }));
    tell({ instanceId: 'one', offers: [{ offerId: 'cheap', ...reported }] });
    await untilOrder(['dear', 'cheap']);
    const metrics = await (await fetch(`${await cortex.app.getUrl()}/metrics`)).text();
    expect(metrics).toContain('svc_cortex_health_reports_total{outcome="refused",service="cortex"} 3');
  });

  it('passes over entries that are no offers', async () => {
    await bucket.put(catalogKey('broken'), 'not JSON');
    await bucket.put(catalogKey('nothing'), 'null');
    await bucket.put(catalogKey('odd'), '{"offerId":"odd","model":"svc/tiny@1","inputPricePerMtok":"-1"}');
    await bucket.put(
      catalogKey('uncertified'),
      JSON.stringify({
        offerId: 'uncertified',
        model: MODEL,
        inputPricePerMtok: '1',
        outputPricePerMtok: '1',
        concurrency: 1,
        contextLimit: 8_192,
      }),
    );
    await publish('last', { inputPricePerMtok: '1500000' });
    await publish('rogue', { inputPricePerMtok: '9000000', concurrency: 1_024 });
    await untilOrder(['dear', 'last', 'cheap']);
  });

  it('refuses a request that does not fit', async () => {
    await expect(plan({ maxTokens: 0 })).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'maxTokens' },
    });
  });

  it('plans no offer past its end, though the catalogue takes it from the view no more', async () => {
    const model = 'svc/brief@1';
    let endsAtMs = 0;
    await publish('lasting', { model, endsAtMs: Date.now() + 3_600_000, ...DEAR });
    await eventually(async () => {
      // Anew where its end came before it was seen.
      if (endsAtMs <= Date.now())
        await publish('brief', { model, endsAtMs: (endsAtMs = Date.now() + 1_500) });
      return (await order({ model })).length === 2;
    });
    await eventually(async () => (await order({ model })).join() === 'lasting');
    expect(Date.now()).toBeGreaterThanOrEqual(endsAtMs);
  });

  it('plans an offer again whose end is ahead once more, since the clock was set back', async () => {
    const model = 'svc/clock@1';
    await publish('timed', { model, endsAtMs: Date.now() + 600_000 });
    await eventually(async () => (await order({ model })).length === 1);
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    expect(await order({ model })).toEqual([]);
    clock.mockRestore();
    expect(await order({ model })).toEqual(['timed']);
  });

  it('goes on with what it knew while NATS is away, and follows again at once when it is back', async () => {
    await nats.stop();
    await eventually(async () => (await readiness()).status === 503);
    await nats.startAgain();
    await eventually(async () => (await readiness()).status === 200);
    const ask = () =>
      gateway.call(
        cortexContracts.createPlan,
        { requestId: 'req_2', model: MODEL, inputEstimate: 1, inputLeast: 1, maxTokens: 1 },
        { timeoutMs: 500 },
      );
    await eventually(async () => (await ask()).attempts.length === 3);
    // A write into a server that is only just back may wait for its acknowledgement in vain, for seconds.
    await eventually(async () => {
      await publish('back', { inputPricePerMtok: '1600000' });
      return true;
    });
    await eventually(async () => (await ask()).attempts.some(({ offerId }) => offerId === 'back'));
  });

  it('starts while the catalogue is down, and plans what it published last', async () => {
    const own = await PrivateNats.start();
    const catalog = await own.connectAs('catalog');
    const kv = await catalog.connection.jetstream().views.kv(CATALOG_BUCKETS.offers, { history: 1 });
    await kv.put(catalogKey('lone'), JSON.stringify(viewOf('lone')));
    await catalog.connection.close();
    await own.stop();
    await own.startAgain();
    const { whenLoaded } = KvView.prototype;
    // A server that is only just back may leave the first question to its time-out of 5 s: longer than requests wait in earnest.
    const patient = jest.spyOn(KvView.prototype, 'whenLoaded').mockImplementation(function (
      this: KvView<unknown>,
    ) {
      return whenLoaded.call(this, PATIENTLY.timeoutMs);
    });
    const late = await startCortex(own);
    const rpc = new RpcClient(await own.connectAs('gateway'));
    // Nobody waits for the catalogue: the first request is planned.
    const request = { requestId: 'req_1', model: MODEL, inputEstimate: 1, inputLeast: 1, maxTokens: 1 };
    const planned = await rpc.call(cortexContracts.createPlan, request, PATIENTLY);
    expect(planned.attempts.map(({ offerId }) => offerId)).toEqual(['lone']);
    patient.mockRestore();
    await late.app.close();
    await own.close();
  });
});
