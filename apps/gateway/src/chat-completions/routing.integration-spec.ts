import type { ModelView, PlannedAttempt } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { attempt } from '../testing/fake-cortex.for-spec';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';
import { demoModel, routingModel, toollessModel } from '../testing/models.for-spec';

const ROUTING = routingModel.id;
const request = { model: ROUTING, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 };
const tools = [{ type: 'function', function: { name: 'look_up' } }];
const embedding: ModelView = {
  ...demoModel,
  id: 'svc/embed@1',
  capabilities: { ...demoModel.capabilities, workload: 'embedding' },
};

async function refusalOf(replied: Promise<Response>) {
  const reply = await replied;
  const { error } = (await reply.json()) as {
    error: { code: string; param: string | null; message: string };
  };
  return { status: reply.status, ...error };
}

describe('on the test network', () => {
  const harness = new GatewayHarness();
  beforeAll(async () => {
    await harness.start();
    await harness.publishModels([embedding, routingModel]);
    await eventually(async () => (await fetch(`${harness.url}/v1/models/${ROUTING}`)).ok);
  });
  afterAll(() => harness.stop());
  afterEach(() => {
    harness.cortex.plan = { attempts: [attempt] };
  });

  it('the routing model is planned among the candidates that can, and all of the plan is handed on', async () => {
    const managed: PlannedAttempt = {
      ...attempt,
      offerId: 'managed-vendor',
      model: 'svc/plain@1',
      mapping: 'vendor',
      inputPricePerMtok: '200000',
      outputPricePerMtok: '800000',
      why: 'when no provider can',
    };
    const passedOver = [{ offerId: 'offer_9', why: 'dearer than the ceiling' }];
    harness.cortex.plan = { attempts: [attempt, managed], passedOver };
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    run.complete();
    const reply = await replied;
    expect(reply.status).toBe(200);
    expect(harness.cortex.requests.at(-1)).toMatchObject({
      model: ROUTING,
      maxTokens: 100,
      routing: {
        candidates: ['svc/demo@1', 'svc/plain@1'],
        maxInputPricePerMtok: '200000',
        maxOutputPricePerMtok: '800000',
      },
    });
    expect(run.request).toMatchObject({
      model: ROUTING,
      routed: true,
      attempts: [attempt, managed],
      passedOver,
    });
    // Held at the vendor's price: ceil((20 tokens · 0.2 + 100 · 0.8) USDC / 10^6).
    expect(run.request.inputEstimate).toBe(20);
    expect(reply.headers.get('x-svc-hold-usdc')).toBe('0.000084');
    expect(harness.billing.admissions.at(-1)).toMatchObject({ model: ROUTING, amount: '84' });
  });

  it('what one candidate cannot do goes to the others', async () => {
    const replied = harness.post({ ...request, tools, stream: true });
    const run = await harness.dispatch.nextRun();
    run.send('end', 'data: [DONE]\n\n');
    expect((await replied).status).toBe(200);
    expect(harness.cortex.requests.at(-1)).toMatchObject({
      routing: { candidates: ['svc/demo@1'] },
      needs: { toolChoice: 'auto' },
    });
  });

  it.each<[string, object, object]>([
    ['two choices', { n: 2 }, { status: 400, code: 'feature_not_supported', param: 'n' }],
    ['logprobs', { logprobs: true }, { status: 400, code: 'feature_not_supported', param: 'logprobs' }],
    [
      'too long an answer',
      { max_tokens: 8_193 },
      { status: 400, code: 'invalid_request', param: 'max_tokens' },
    ],
  ])('what no candidate can is refused: %s', async (_, fields, expected) => {
    const asked = harness.cortex.requests.length;
    expect(await refusalOf(harness.post({ ...request, ...fields }))).toMatchObject(expected);
    expect(harness.cortex.requests).toHaveLength(asked);
  });

  it('a named model is planned alone; who finds nobody hears of the routing model', async () => {
    const replied = harness.post({ ...request, model: 'svc/demo@1' });
    const run = await harness.dispatch.nextRun();
    run.complete();
    await replied;
    expect(harness.cortex.requests.at(-1)).not.toHaveProperty('routing');
    expect(run.request).not.toHaveProperty('routed');
    harness.cortex.plan = { attempts: [] };
    const refused = await refusalOf(harness.post({ ...request, model: 'svc/demo@1' }));
    expect(refused).toMatchObject({ status: 503, code: 'no_capacity' });
    expect(refused.message).toContain('"svc/cortex@1"');
    const routed = await refusalOf(harness.post(request));
    expect(routed).toMatchObject({ status: 503, code: 'no_capacity' });
    expect(routed.message).toBe('No candidate of "svc/cortex@1" can take this request now.');
  });

  it('a model for another workload does not exist', async () => {
    expect((await fetch(`${harness.url}/v1/models/svc/embed@1`)).status).toBe(404);
    expect(await refusalOf(harness.post({ ...request, model: 'svc/embed@1' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
  });

  it('the routing model goes with its candidates', async () => {
    const shown = async () => {
      const reply = await fetch(`${harness.url}/v1/models/${ROUTING}`);
      return (await reply.json()) as { svc: { contextLimit: number; candidates: { available: boolean }[] } };
    };
    const available = async () => (await shown()).svc.candidates.map((candidate) => candidate.available);
    expect(await available()).toEqual([true, false]);
    await harness.publishModels([{ ...toollessModel, contextLimit: 2_048, pricing: demoModel.pricing }]);
    await eventually(async () => (await shown()).svc.contextLimit === 2_048);
    expect(await available()).toEqual([true, true]);
    await eventually(async () =>
      (await (await fetch(`${harness.url}/v1/models`)).text()).includes('"contextLimit":2048'),
    );
    await harness.publishModels([toollessModel]);
  });
});

describe('in production', () => {
  const harness = new GatewayHarness('production');
  const fallbackPrice = { inputPricePerMtok: '900000', outputPricePerMtok: '1800000' };
  beforeAll(async () => {
    await harness.start();
    await harness.publishModels([
      { ...toollessModel, managedPricing: fallbackPrice },
      embedding,
      routingModel,
    ]);
    await eventually(async () => (await fetch(`${harness.url}/v1/models/svc/embed@1`)).ok);
  });
  afterAll(() => harness.stop());
  afterEach(() => {
    harness.cortex.plan = { attempts: [attempt] };
  });

  it('there is no routing model, and nobody hears of one', async () => {
    const list = await eventually(async () => {
      const { data } = (await (await fetch(`${harness.url}/v1/models`)).json()) as {
        data: { id: string; svc: object }[];
      };
      return data.some(({ id }) => id === 'svc/embed@1') && data;
    });
    expect(list.map(({ id }) => id)).toEqual(['svc/demo@1', 'svc/embed@1', 'svc/plain@1']);
    for (const { svc } of list) expect(svc).not.toHaveProperty('tool_contract');
    expect(list[2]?.svc).toMatchObject({
      fallback_pricing: { input_price_per_mtok: '900000', output_price_per_mtok: '1800000' },
    });
    expect(list[2]?.svc).not.toHaveProperty('pricing');
    expect((await fetch(`${harness.url}/v1/models/${ROUTING}`)).status).toBe(404);
    expect(await refusalOf(harness.post(request))).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
    harness.cortex.plan = { attempts: [] };
    const refused = await refusalOf(harness.post({ ...request, model: 'svc/demo@1' }));
    expect(refused).toMatchObject({ status: 503, code: 'no_capacity' });
    expect(refused.message).not.toContain('cortex');
  });

  it('embeddings are listed, and chat does not serve them', async () => {
    expect(await refusalOf(harness.post({ ...request, model: 'svc/embed@1' }))).toMatchObject({
      status: 400,
      code: 'feature_not_supported',
      param: 'model',
    });
  });

  it('the fallback is held for like any offer of the plan', async () => {
    const fallback: PlannedAttempt = {
      ...attempt,
      ...fallbackPrice,
      offerId: 'managed-vendor',
      model: 'svc/plain@1',
      mapping: 'vendor',
    };
    harness.cortex.plan = { attempts: [fallback] };
    const replied = harness.post({ ...request, model: 'svc/plain@1' });
    const run = await harness.dispatch.nextRun();
    run.complete();
    // ceil((20 tokens · 0.9 + 100 · 1.8) USDC / 10^6)
    expect((await replied).headers.get('x-svc-hold-usdc')).toBe('0.000198');
    expect(run.request.attempts).toEqual([fallback]);
    expect(run.request).not.toHaveProperty('routed');
  });

  it('a key of the test network is unknown, in the words for any unknown key', async () => {
    const test = new GatewayHarness().apiKey;
    const answers = await Promise.all(
      [test, 'svc_live_nonsense'].map((key) =>
        refusalOf(harness.post(request, { headers: { authorization: `Bearer ${key}` } })),
      ),
    );
    expect(answers[0]).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(answers[0]).toEqual(answers[1]);
  });
});
