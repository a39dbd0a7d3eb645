import { catalogContracts } from '@svc/contracts';
import type { MarketOffer, ModelMarket, ShowMarketRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { eventually } from '@svc/testing';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { demoModel, routingModel, toollessModel } from '../../testing/models.for-spec';

const harness = new GatewayHarness();
const production = new GatewayHarness('production');
const catalogs: FakeService[] = [];

const offer: MarketOffer = {
  ...{
    offerId: 'ofr_1',
    provider: `0x${'c'.repeat(40)}`,
    providerName: '</script><img src=x onerror=alert(1)>',
  },
  ...{ bundle: 'bundle-1', quantisation: 'q4', engine: 'vllm', profile: 'profile-1', hardwareClass: 'gpu' },
  ...{ speedTier: 'fast', inputPricePerMtok: '100000', outputPricePerMtok: '400000', contextLimit: 32_768 },
  ...{ maxOutputTokens: 8_192, concurrency: 8, certificationId: 'cert_1', structuredOutputs: true },
  toolContract: demoModel.toolContract ?? null,
  health: {
    errorRate: 0.123_456,
    firstTokenMs: 81.49,
    tokensPerSecond: 50.25,
    lastSeenAt: '2026-11-21T06:00:00Z',
  },
};

function marketOf(model: string, { offset, limit }: ShowMarketRequest): ModelMarket {
  const offers = model === demoModel.id ? [offer] : [];
  // What a catalogue of a later version may add, and what must get out nowhere.
  const secrets = { endpoint: 'https://hidden.example', upstreamModel: 'secret' };
  return {
    model,
    liveOffers: offers.length,
    health: offers.length > 0 ? { errorRate: 0.1 } : {},
    offers: offers.slice(offset, offset + limit).map((each) => ({ ...each, ...secrets })),
  };
}

beforeAll(async () => {
  for (const each of [harness, production]) {
    await each.start();
    const catalog = new FakeService((await each.nats.connectAs('catalog')).connection);
    await catalog.answer(catalogContracts.showMarket, (request) => ({
      models: request.models.map((model) => marketOf(model, request)),
    }));
    catalogs.push(catalog);
  }
  await harness.publishModels([routingModel]);
  await eventually(async () => (await listed()).length === 3);
});
afterAll(async () => {
  await harness.stop();
  await production.stop();
});
// Answers are kept for some seconds of the gateway's clock.
beforeEach(() => harness.clock.advance(60_000));

const get = (path: string, headers: Record<string, string> = {}, from = harness) =>
  fetch(`${from.url}/portal/api/market${path}`, { headers });
async function read<T>(path: string, from = harness): Promise<T> {
  from.clock.advance(60_000);
  return (await get(path, {}, from)).json() as Promise<T>;
}
const listed = async () =>
  ((await (await fetch(`${harness.url}/v1/models`)).json()) as { data: object[] }).data;
const offersPath = (more = '') => `/offers?model=${encodeURIComponent(demoModel.id)}${more}`;
const asked = () => catalogs[0]?.timesAsked(catalogContracts.showMarket) ?? 0;

describe('GET /portal/api/market', () => {
  it('lists the models as /v1 does, with live offers and health, for anybody', async () => {
    const { data } = await read<{ data: Record<string, unknown>[] }>('');
    const [routing, demo, plain] = await listed();
    expect(data.map(({ live_offers, health, ...card }) => [card, live_offers, health])).toEqual([
      [routing, undefined, {}],
      [demo, 1, { error_rate: 0.1 }],
      [plain, 0, {}],
    ]);
    expect(data[0]).toMatchObject({ id: 'svc/cortex@1', svc: { cortex: true } });
  });

  it('asks the catalogue once for all who come within some seconds', async () => {
    const before = asked();
    const replies = await Promise.all([get(''), get(''), get('')]);
    const [first] = replies;
    expect(asked() - before).toBe(1);
    const etag = first?.headers.get('etag') ?? '';
    expect((await get('', { 'if-none-match': etag })).status).toBe(304);
    expect(asked() - before).toBe(1);
    harness.clock.advance(3_000);
    expect((await get('')).status).toBe(200);
    expect(asked() - before).toBe(2);
  });

  it('lists the models also while the catalogue is away; of their markets it says nothing then', async () => {
    const away = new SvcError({ code: 'no_capacity', message: 'The market is being read; try again.' });
    await catalogs[0]?.answer(catalogContracts.showMarket, away);
    const { data } = await read<{ data: object[] }>('');
    expect(data).toEqual((await listed()).map((card) => ({ ...card, health: {} })));
    const offers = await get(offersPath('&limit=7'));
    expect([offers.status, offers.headers.get('retry-after')]).toEqual([503, '5']);
    await catalogs[0]?.answer(catalogContracts.showMarket, (request) => ({
      models: request.models.map((model) => marketOf(model, request)),
    }));
    expect((await get(offersPath('&limit=7'))).status).toBe(200);
  });

  it('does not pass for a market without offers when the catalogue is there and fails', async () => {
    const failure = new SvcError({ code: 'internal_error', message: 'The catalogue is at fault.' });
    await catalogs[0]?.answer(catalogContracts.showMarket, failure);
    expect((await get('')).status).toBe(500);
    await catalogs[0]?.answer(catalogContracts.showMarket, (request) => ({
      models: request.models.map((model) => marketOf(model, request)),
    }));
    expect((await get('')).status).toBe(200);
  });
});

describe('GET /portal/api/market/offers', () => {
  it('shows who sells a model at which price, and never where', async () => {
    const reply = await get(offersPath());
    const text = await reply.text();
    expect(JSON.parse(text)).toEqual({
      ...{ object: 'list', model: demoModel.id, live_offers: 1 },
      data: [
        {
          ...{ offer_id: 'ofr_1', provider: offer.provider, provider_name: offer.providerName },
          ...{ bundle: 'bundle-1', quantisation: 'q4', engine: 'vllm', profile: 'profile-1' },
          ...{ hardware_class: 'gpu', speed_tier: 'fast', context_limit: 32_768, max_output_tokens: 8_192 },
          ...{ input_price_per_mtok: '100000', output_price_per_mtok: '400000', concurrency: 8 },
          ...{ certification_id: 'cert_1', tools: true, structured_outputs: true },
          tool_contract: demoModel.toolContract,
          health: {
            ...{ error_rate: 0.1235, first_token_ms: 81, tokens_per_second: 50.3 },
            last_seen_at: '2026-11-21T06:00:00Z',
          },
        },
      ],
    });
    // Names are strangers' words: nothing in them begins a tag, wherever the text is put.
    expect(text).not.toMatch(/[<>]|hidden\.example|secret/);
    expect(await read(offersPath('&offset=1&limit=1'))).toMatchObject({ live_offers: 1, data: [] });
    expect(catalogs[0]?.lastOf(catalogContracts.showMarket)).toMatchObject({ offset: 1, limit: 1 });
  });

  it('shows the page that was asked for, whichever others were asked for a moment before', async () => {
    const pages: [string, number, number][] = [
      [demoModel.id, 0, 1],
      [demoModel.id, 1, 1],
      [demoModel.id, 0, 2],
      [toollessModel.id, 0, 1],
    ];
    for (const [model, offset, limit] of pages) {
      const reply = await get(`/offers?model=${encodeURIComponent(model)}&offset=${offset}&limit=${limit}`);
      expect(await reply.json()).toMatchObject({ model });
      expect(catalogs[0]?.lastOf(catalogContracts.showMarket)).toEqual({ models: [model], offset, limit });
    }
  });

  it('has no tool contracts in production, and says which offers have tools', async () => {
    const { data } = await read<{ data: object[] }>(offersPath(), production);
    expect(data[0]).toMatchObject({ tools: true });
    expect(data[0]).not.toHaveProperty('tool_contract');
  });

  it('says that the routing model, which is listed, has none of its own', async () => {
    const reply = await get('/offers?model=svc/cortex@1');
    const { error } = (await reply.json()) as { error: { code: string; message: string } };
    expect([reply.status, error.code]).toEqual([404, 'model_not_found']);
    expect(error.message).toMatch(/^"svc\/cortex@1" has no offers of its own/);
  });

  it.each([
    ['', 400, 'model'],
    ['?model=nonsense', 400, 'model'],
    ['?model=svc/gone@1', 404, 'model'],
    ['?model=svc/demo@1&limit=101', 400, 'limit'],
    ['?model=svc/demo@1&limit=1&limit=2', 400, 'limit'],
    ['?model=svc/demo@1&offset=-1', 400, 'offset'],
  ])('refuses %s with %i', async (query, status, param) => {
    const reply = await get(`/offers${query}`);
    expect([reply.status, await reply.json()]).toMatchObject([status, { error: { param } }]);
  });
});
