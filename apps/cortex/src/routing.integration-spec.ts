import { CATALOG_BUCKETS, catalogKey, cortexContracts } from '@svc/contracts';
import type { CreatePlanRequest, OfferView } from '@svc/contracts';
import type { EnvironmentName } from '@svc/environment';
import { RpcClient } from '@svc/messaging';
import { PrivateNats, eventually } from '@svc/testing';
import { DEAR, MODEL, PATIENTLY, startCortex, viewOf } from './running-cortex.for-spec';

const closing: (() => Promise<void>)[] = [];

/** A cortex of its own in that environment, and what publishes offers to it and asks it for plans. */
async function marketIn(environment: EnvironmentName) {
  const nats = await PrivateNats.start();
  const service = await startCortex(nats, environment);
  closing.push(async () => {
    await service.app.close();
    await nats.close();
  });
  const catalog = await nats.connectAs('catalog');
  const bucket = await catalog.connection.jetstream().views.kv(CATALOG_BUCKETS.offers, { history: 1 });
  const publish = (offerId: string, changes: Partial<OfferView>) =>
    bucket.put(catalogKey(offerId), JSON.stringify(viewOf(offerId, changes)));
  const rpc = new RpcClient(await nats.connectAs('gateway'));
  const request = {
    requestId: 'req_1',
    model: MODEL,
    inputEstimate: 1_000,
    inputLeast: 600,
    maxTokens: 1_000,
  };
  const plan = (changes: Partial<CreatePlanRequest> = {}) =>
    rpc.call(cortexContracts.createPlan, { ...request, ...changes }, PATIENTLY);
  return { service, publish, plan };
}

afterAll(async () => {
  for (const close of closing) await close();
});

describe('cortex on the test network', () => {
  it('routes: candidates below the ceiling, the best model first, managed vendors last', async () => {
    const { publish, plan } = await marketIn('testnet');
    const small = { model: 'svc/small@1', inputPricePerMtok: '20000', outputPricePerMtok: '80000' };
    for (const id of ['small-1', 'small-2', 'small-3']) await publish(id, small);
    await publish('large', { model: 'svc/large@1' });
    await publish('luxury', { model: 'svc/large@1', outputPricePerMtok: '400001' });
    await publish('managed-vendor', { model: 'svc/large@1', mapping: 'vendor' });
    await publish('managed-luxury', { ...DEAR, model: 'svc/large@1', mapping: 'luxury' });
    const routing = {
      candidates: ['svc/large@1', 'svc/small@1', 'svc/nobody@1'],
      maxInputPricePerMtok: '100000',
      maxOutputPricePerMtok: '400000',
    };
    const routed = () => plan({ model: 'svc/cortex@1', routing });
    await eventually(async () => (await routed()).attempts.length === 5);
    const { attempts, passedOver } = await routed();
    expect(attempts.map(({ model, mapping }) => [model, mapping])).toEqual([
      ['svc/small@1', undefined],
      ['svc/small@1', undefined],
      ['svc/large@1', undefined],
      ['svc/small@1', undefined],
      ['svc/large@1', 'vendor'],
    ]);
    expect(passedOver).toEqual([
      { offerId: 'luxury', why: 'above the ceiling: asks 100000 in, 400001 out per million tokens' },
    ]);
    // Named, a model is served by its own offers alone, and on the test network by no managed vendor.
    const named = await plan({ model: 'svc/large@1' });
    expect(new Set(named.attempts.map(({ offerId }) => offerId))).toEqual(new Set(['large', 'luxury']));
  });

  it('refuses routing terms that do not fit', async () => {
    const { plan } = await marketIn('testnet');
    const routing = { candidates: ['svc/large@1'], maxInputPricePerMtok: '-1', maxOutputPricePerMtok: '1' };
    await expect(plan({ routing })).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'routing.maxInputPricePerMtok' },
    });
  });
});

describe('cortex in production', () => {
  it('has managed vendors answer for a named model', async () => {
    const { publish, plan, service } = await marketIn('production');
    await publish('managed-dear', { ...DEAR, mapping: 'dear', bundleId: 'managed' });
    await publish('managed-cheap', { mapping: 'cheap', bundleId: 'managed' });
    const mappings = async () => (await plan()).attempts.map(({ mapping }) => mapping);
    await eventually(async () => JSON.stringify(await mappings()) === '["cheap","dear"]');
    await publish('own', DEAR);
    await eventually(async () => (await mappings()).length === 3);
    expect(await mappings()).toEqual([undefined, 'cheap', 'dear']);
    const metrics = await (await fetch(`${await service.app.getUrl()}/metrics`)).text();
    expect(metrics).toMatch(/svc_cortex_plans_total\{outcome="managed",service="cortex"\} [1-9]/);
  });
});
