import { catalogContracts } from '@svc/contracts';
import type { SignedOfferTerms } from '@svc/contracts';
import { notFound } from '@svc/errors';
import { errorOf } from '../../testing/error-of.for-spec';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';
import { provider, providerReply, providerStatus } from '../../testing/supply.for-spec';

const harness = new GatewayHarness();
const EVIL = '</script><b>';
const signed: SignedOfferTerms = {
  ...{ offerId: 'ofr_1', version: 2, provider, model: 'svc/demo@1', bundle: 'bnd_1', profile: 'prf_1' },
  ...{ endpoint: 'https://llm.example.com/v1', upstreamModel: EVIL, hasCredential: true },
  ...{ inputPricePerMtok: '100000', outputPricePerMtok: '400000', concurrency: 8, contextLimit: 32_768 },
  ...{ firstTokenTimeoutMs: 10_000, chunkTimeoutMs: 5_000, expiresAt: 1_900_000_000 },
};
const build = { quantisation: 'q4', engine: 'vllm' };

let catalog: FakeService;
let visitor: PortalVisitor;

beforeAll(async () => {
  await harness.start();
  catalog = new FakeService((await harness.nats.connectAs('catalog')).connection);
  visitor = await PortalVisitor.signedIn(harness, provider);
  await catalog.answer(catalogContracts.listBuilds, {
    bundles: [{ id: 'bnd_1', model: 'svc/demo@1', weightsDigest: EVIL, ...build }],
    profiles: [{ id: 'prf_1', hardwareClass: 'gpu', contextLimit: 4_096, speedTier: 'fast' }],
  });
});
afterAll(() => harness.stop());

describe('the wallet as a provider', () => {
  it('is shown as everybody sees it, and not there while it is not registered', async () => {
    await catalog.answer(catalogContracts.showProvider, { ...providerStatus, contact: 'hidden' } as never);
    const text = await (await visitor.get('/provider')).text();
    expect(text).not.toMatch(/[<>&]|hidden/);
    expect(JSON.parse(text)).toEqual({ provider: providerReply });
    expect(catalog.lastOf(catalogContracts.showProvider)).toEqual({ provider });
    await catalog.answer(catalogContracts.showProvider, notFound('none', 'provider'));
    const none = await visitor.get('/provider');
    expect([none.status, await none.json()]).toEqual([200, { provider: null }]);
  });
});

describe('what a provider signed', () => {
  it('is shown to the wallet that signed it, without the credential', async () => {
    await catalog.answer(catalogContracts.showOfferTerms, { ...signed, credential: 'hidden' } as never);
    const shown = await visitor.get('/offers/ofr_1/terms');
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const text = await shown.text();
    expect(text).not.toMatch(/[<>&]|hidden/);
    expect(JSON.parse(text)).toEqual({
      ...{ offer_id: 'ofr_1', version: 2, model: 'svc/demo@1', bundle: 'bnd_1', profile: 'prf_1' },
      ...{ endpoint: 'https://llm.example.com/v1', upstream_model: EVIL, has_credential: true },
      ...{ input_price_per_mtok: '100000', output_price_per_mtok: '400000', concurrency: 8 },
      ...{ context_limit: 32_768, first_token_timeout_ms: 10_000, chunk_timeout_ms: 5_000 },
      expires_at: 1_900_000_000,
    });
    // Whose it must be is the session's word, whatever a client would like.
    expect(catalog.lastOf(catalogContracts.showOfferTerms)).toEqual({ provider, offerId: 'ofr_1' });
  });

  it('is not there for another wallet, and needs a session', async () => {
    await catalog.answer(catalogContracts.showOfferTerms, notFound('none', 'offerId'));
    expect(await errorOf(await visitor.get('/offers/ofr_2/terms'))).toEqual([404, 'invalid_request', 'id']);
    expect(await errorOf(await visitor.get('/offers/a.b/terms'))).toEqual([404, 'invalid_request', 'id']);
    for (const path of ['/provider', '/offers/ofr_1/terms', '/builds?model=svc/demo@1']) {
      expect((await fetch(`${harness.url}/portal/api${path}`)).status).toBe(401);
    }
  });
});

describe('bundles and profiles that are defined', () => {
  it('are there to be chosen', async () => {
    const text = await (await visitor.get('/builds?model=svc%2Fdemo%401')).text();
    expect(text).not.toMatch(/[<>&]/);
    expect(JSON.parse(text)).toEqual({
      bundles: [{ id: 'bnd_1', weights_digest: EVIL, ...build }],
      profiles: [{ id: 'prf_1', hardware_class: 'gpu', context_limit: 4_096, speed_tier: 'fast' }],
    });
  });

  it.each(['/builds', '/builds?model=demo', '/builds?model=svc/demo@1&model=svc/x@1'])(
    '%s is refused',
    async (path) => {
      expect(await errorOf(await visitor.get(path))).toEqual([400, 'invalid_request', 'model']);
    },
  );
});
