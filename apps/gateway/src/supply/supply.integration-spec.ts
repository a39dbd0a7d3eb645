import { catalogContracts } from '@svc/contracts';
import { CredentialOpener } from '@svc/credential-seal';
import { conflict, invalidRequest, notFound } from '@svc/errors';
import { supplyDigest } from '@svc/supply-messages';
import { TypedDataEncoder, Wallet, verifyTypedData } from 'ethers';
import { errorOf } from '../testing/error-of.for-spec';
import { FakeService } from '../testing/fake-service.for-spec';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';
import {
  checksummed,
  offerReply,
  offerStatus,
  provider,
  providerKey,
  providerReply,
  providerStatus,
  report,
  reportReply,
  secrets,
  signature,
  submission,
  terms,
} from '../testing/supply.for-spec';
import type { SupplyTermsReply } from './terms/supply-terms.dto';

const harness = new GatewayHarness();
let catalog: FakeService;

beforeAll(async () => {
  await harness.start({ SUPPLY_WRITES_PER_MINUTE: '10000', SUPPLY_READS_PER_MINUTE: '10000' });
  catalog = new FakeService((await harness.nats.connectAs('catalog')).connection);
  await catalog.answer(catalogContracts.showSupplyTerms, terms);
  await catalog.answer(catalogContracts.registerProvider, providerStatus);
  await catalog.answer(catalogContracts.showProvider, providerStatus);
  await catalog.answer(catalogContracts.submitOffer, offerStatus);
  await catalog.answer(catalogContracts.withdrawOffer, offerStatus);
  await catalog.answer(catalogContracts.showCertification, report);
});
afterAll(() => harness.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${harness.url}${path}`, { headers });

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const registration = {
  provider: checksummed,
  name: 'Example',
  contact: 'a@example.com',
  nonce: 1,
  signature,
};

describe('what providers sign', () => {
  it('is enough for any wallet', async () => {
    const reply = await get('/v1/supply/terms');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const told = (await reply.json()) as SupplyTermsReply;
    expect(told.limits).toEqual({
      max_price_per_mtok: '1000000000000',
      max_offers_per_provider: 100,
      max_offer_seconds: 31_536_000,
      max_access_seconds: 600,
      max_credential_length: 1_024,
    });
    expect(told.credential_public_key).toMatch(/^[\w-]{43}$/);
    const message = { provider, offerId: 'ofr_1', nonce: 7 };
    const types = { Withdrawal: told.types.Withdrawal ?? [] };
    const signed = await new Wallet(providerKey).signTypedData(told.domain, types, message);
    expect(verifyTypedData(terms.domain, types, message, signed)).toBe(checksummed);
    expect(TypedDataEncoder.hash(told.domain, types, message)).toBe(
      supplyDigest(terms.domain, 'Withdrawal', message),
    );
    expect(Object.keys(told.types).sort()).toEqual([
      'Access',
      'EIP712Domain',
      'Offer',
      'Registration',
      'Withdrawal',
    ]);
    const payload = TypedDataEncoder.getPayload(told.domain, types, message) as { types: object };
    expect(payload.types).toMatchObject({ EIP712Domain: told.types.EIP712Domain });
  });
});

describe('POST /v1/providers', () => {
  it('registers, whatever case the address is in, and shows no contact', async () => {
    await catalog.answer(catalogContracts.registerProvider, { ...providerStatus, ...secrets });
    const reply = await post('/v1/providers', registration);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await reply.text();
    expect(text).not.toMatch(/[<>&]|hidden/);
    expect(JSON.parse(text)).toEqual(providerReply);
    expect(catalog.lastOf(catalogContracts.registerProvider)).toEqual({ ...registration, provider });
    expect(harness.logLines.join('')).not.toContain('a@example.com');
  });

  it.each<[string, Record<string, unknown>]>([
    ['provider', { provider: '0x1' }],
    ['provider', { provider: undefined }],
    ['name', { name: '' }],
    ['name', { name: 'a\u0000b' }],
    ['name', { name: 'x'.repeat(81) }],
    ['contact', { contact: 'x'.repeat(201) }],
    ['contact', { contact: null }],
    ['nonce', { nonce: '1' }],
    ['nonce', { nonce: 0 }],
    ['nonce', { nonce: 1.5 }],
    ['nonce', { nonce: 2 ** 53 }],
    ['signature', { signature: '0x' }],
    ['signature', { signature: 'hello' }],
  ])('refuses a %s that does not fit', async (param, fields) => {
    const reply = await post('/v1/providers', { ...registration, ...fields });
    expect(await errorOf(reply)).toEqual([400, 'invalid_request', param]);
  });

  it('tells what the catalogue refuses it for', async () => {
    await catalog.answer(catalogContracts.registerProvider, conflict('The nonce was used.', 'nonce'));
    expect(await errorOf(await post('/v1/providers', registration))).toEqual([
      409,
      'invalid_request',
      'nonce',
    ]);
  });
});

describe('bodies of providers', () => {
  it.each<[string, number, string | undefined, Record<string, string>]>([
    ['no JSON', 400, '{', {}],
    ['no object', 400, '[]', {}],
    ['a prototype', 400, '{"__proto__":{}}', {}],
    ['not UTF-8 by name', 415, '{}', { 'content-type': 'text/plain' }],
    ['compressed', 415, '{}', { 'content-encoding': 'gzip' }],
    ['larger than 64 KiB', 413, JSON.stringify({ name: 'x'.repeat(64 * 1024) }), {}],
    [
      'larger, with an API key',
      413,
      JSON.stringify({ name: 'x'.repeat(64 * 1024) }),
      { authorization: 'key' },
    ],
  ])('%s: %s', async (_, status, body, headers) => {
    const authorization = headers.authorization && { authorization: `Bearer ${harness.apiKey}` };
    for (const path of ['/v1/providers', '/v1/offers', '/v1/offers/ofr_1/withdraw']) {
      const reply = await post(path, body ?? '', { ...headers, ...authorization });
      expect(await errorOf(reply)).toEqual([status, 'invalid_request', null]);
    }
  });

  it('may be missing', async () => {
    const reply = await fetch(`${harness.url}/v1/offers`, { method: 'POST' });
    expect(await errorOf(reply)).toEqual([400, 'invalid_request', null]);
  });

  it('are read without a key here only', async () => {
    expect(await errorOf(await post('/v1/chat/completions', '{"model":1}'))).toEqual([
      401,
      'invalid_api_key',
      null,
    ]);
  });
});

describe('POST /v1/offers', () => {
  it('hands an offer to the catalogue', async () => {
    await catalog.answer(catalogContracts.submitOffer, { ...offerStatus, ...secrets });
    const reply = await post('/v1/offers', {
      ...submission,
      bundle_definition: { weights_digest: 'sha256:1', quantisation: 'q4', engine: 'vllm', id: 'x', more: 1 },
      profile_definition: { hardware_class: 'l40s', context_limit: 32_768, speed_tier: 'fast' },
    });
    expect(reply.status).toBe(202);
    expect(await reply.json()).toEqual(offerReply);
    expect(catalog.lastOf(catalogContracts.submitOffer)).toEqual({
      provider,
      model: 'svc/demo@1',
      bundle: 'bundle-1',
      profile: 'profile-1',
      endpoint: 'https://llm.example.com/v1',
      upstreamModel: 'demo-8b',
      inputPricePerMtok: '100000',
      outputPricePerMtok: '400000',
      concurrency: 8,
      contextLimit: 32_768,
      firstTokenTimeoutMs: 10_000,
      chunkTimeoutMs: 5_000,
      expiresAt: 1_900_000_000,
      nonce: 7,
      signature,
      bundleDefinition: {
        id: 'bundle-1',
        model: 'svc/demo@1',
        weightsDigest: 'sha256:1',
        quantisation: 'q4',
        engine: 'vllm',
      },
      profileDefinition: {
        id: 'profile-1',
        hardwareClass: 'l40s',
        contextLimit: 32_768,
        speedTier: 'fast',
      },
    });
  });

  it('seals a credential for dispatch and tells nobody else', async () => {
    const credential = `sk-${'S3cret'.repeat(170)}`.slice(0, 1_024);
    const reply = await post('/v1/offers', { ...submission, credential });
    expect(reply.status).toBe(202);
    const sealed = catalog.lastOf(catalogContracts.submitOffer).credential ?? '';
    const owner = { provider, endpoint: submission.endpoint };
    expect(new CredentialOpener(harness.credentialKey).open(owner, sealed)).toBe(credential);
    const told = [await reply.text(), ...harness.logLines, ...catalog.asked.map(({ text }) => text)].join(
      '\n',
    );
    expect(told).not.toContain('S3cret');
    const refused = await post('/v1/offers', { ...submission, credential: `${credential}!`, concurrency: 0 });
    expect(await refused.text()).not.toContain('S3cret');
    expect(harness.logLines.join('')).not.toContain('S3cret');
  });

  it('says that a credential is taken away by an empty one, and nothing of one that is not sent', async () => {
    expect((await post('/v1/offers', { ...submission, credential: '' })).status).toBe(202);
    expect(catalog.lastOf(catalogContracts.submitOffer).credential).toBe('');
    for (const unsaid of [undefined, null]) {
      expect((await post('/v1/offers', { ...submission, credential: unsaid })).status).toBe(202);
      expect(catalog.lastOf(catalogContracts.submitOffer)).not.toHaveProperty('credential');
    }
  });

  it('takes the highest price that the terms name', async () => {
    const top = terms.maxPricePerMtok;
    const prices = { input_price_per_mtok: top, output_price_per_mtok: top };
    expect((await post('/v1/offers', { ...submission, ...prices })).status).toBe(202);
    expect(catalog.lastOf(catalogContracts.submitOffer)).toMatchObject({
      inputPricePerMtok: top,
      outputPricePerMtok: top,
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['model', { model: 'demo' }],
    ['bundle', { bundle: 'a b' }],
    ['profile', { profile: '' }],
    ['endpoint', { endpoint: 'ftp://llm.example.com' }],
    ['endpoint', { endpoint: `https://llm.example.com/${'x'.repeat(300)}` }],
    ['upstream_model', { upstream_model: '' }],
    ['input_price_per_mtok', { input_price_per_mtok: 100 }],
    ['input_price_per_mtok', { input_price_per_mtok: '-1' }],
    ['input_price_per_mtok', { input_price_per_mtok: '1e3' }],
    ['input_price_per_mtok', { input_price_per_mtok: '0x10' }],
    ['input_price_per_mtok', { input_price_per_mtok: '' }],
    ['input_price_per_mtok', { input_price_per_mtok: '1000000000001' }],
    ['output_price_per_mtok', { output_price_per_mtok: '9'.repeat(5_000) }],
    ['concurrency', { concurrency: 1_025 }],
    ['context_limit', { context_limit: 0 }],
    ['first_token_timeout_ms', { first_token_timeout_ms: 499 }],
    ['chunk_timeout_ms', { chunk_timeout_ms: 120_001 }],
    ['expires_at', { expires_at: '2030-01-01' }],
    ['nonce', { nonce: undefined }],
    ['signature', { signature: '0x1' }],
    ['credential', { credential: 'a\r\nx-header: b' }],
    ['credential', { credential: 'x'.repeat(1_025) }],
    ['bundle_definition', { bundle_definition: 'q4' }],
    ['bundle_definition.engine', { bundle_definition: { weights_digest: '', quantisation: '' } }],
    ['profile_definition.context_limit', { profile_definition: { hardware_class: 'a', speed_tier: 'b' } }],
  ])('refuses a %s that does not fit', async (param, fields) => {
    const before = catalog.timesAsked(catalogContracts.submitOffer);
    const reply = await post('/v1/offers', { ...submission, ...fields });
    expect(await errorOf(reply)).toEqual([400, 'invalid_request', param]);
    expect(catalog.timesAsked(catalogContracts.submitOffer)).toBe(before);
  });

  it.each<[number, string, string]>([
    [400, 'signature', 'signature'],
    [400, 'upstreamModel', 'upstream_model'],
    [400, 'bundleDefinition.weightsDigest', 'bundle_definition.weights_digest'],
    [400, 'bundleDefinition.id', 'bundle'],
    [400, 'profileDefinition.id', 'profile'],
    [409, 'nonce', 'nonce'],
    [404, 'model', 'model'],
    [429, 'provider', 'provider'],
  ])('tells what the catalogue refuses it for: %s %s', async (status, param, told) => {
    await catalog.answer(catalogContracts.submitOffer, invalidRequest('No.', param, status));
    expect(await errorOf(await post('/v1/offers', submission))).toEqual([status, 'invalid_request', told]);
  });
});

describe('POST /v1/offers/{id}/withdraw', () => {
  const withdrawal = { provider: checksummed.toLowerCase(), nonce: 8, signature };

  it('withdraws', async () => {
    const reply = await post('/v1/offers/ofr_1/withdraw', withdrawal);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual(offerReply);
    expect(catalog.lastOf(catalogContracts.withdrawOffer)).toEqual({ ...withdrawal, offerId: 'ofr_1' });
  });

  it('names the id in the path', async () => {
    await catalog.answer(catalogContracts.withdrawOffer, notFound('No.', 'offerId'));
    for (const id of ['ofr_2', 'a%20b', 'x'.repeat(81)]) {
      const reply = await post(`/v1/offers/${id}/withdraw`, withdrawal);
      expect(await errorOf(reply)).toEqual([404, 'invalid_request', 'id']);
    }
  });
});

describe('GET /v1/providers/{wallet}', () => {
  it('shows what everybody may know, and nothing else', async () => {
    const careless = { ...providerStatus, ...secrets, offers: [{ ...offerStatus, ...secrets }] };
    await catalog.answer(catalogContracts.showProvider, careless);
    const reply = await get(`/v1/providers/${checksummed}`);
    expect(reply.status).toBe(200);
    const text = await reply.text();
    expect(text).not.toMatch(/[<>&]|hidden/);
    expect(JSON.parse(text)).toEqual(providerReply);
    expect(catalog.lastOf(catalogContracts.showProvider)).toEqual({ provider });
  });

  it('says who is not there', async () => {
    await catalog.answer(catalogContracts.showProvider, notFound('Unknown.', 'provider'));
    expect(await errorOf(await get(`/v1/providers/${provider}`))).toEqual([404, 'invalid_request', 'wallet']);
    expect(await errorOf(await get('/v1/providers/somebody'))).toEqual([400, 'invalid_request', 'wallet']);
  });
});

describe('GET /v1/certifications/{id}', () => {
  it('shows a finished report with an ETag', async () => {
    const [probe] = report.probes;
    const careless = { ...report, ...secrets, probes: [{ ...probe, ...secrets }] } as typeof report;
    await catalog.answer(catalogContracts.showCertification, careless);
    const reply = await get('/v1/certifications/crt_1');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('cache-control')).toBe('public, max-age=300');
    const text = await reply.text();
    expect(text).not.toMatch(/[<>&]|hidden/);
    expect(JSON.parse(text)).toEqual(reportReply);
    const etag = reply.headers.get('etag') ?? '';
    const again = await get('/v1/certifications/crt_1', { 'if-none-match': `"x", ${etag}` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const head = await fetch(`${harness.url}/v1/certifications/crt_1`, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
      200,
      etag,
      String(text.length),
    ]);
  });

  it('shows how far one is that runs, and lets nobody keep that', async () => {
    await catalog.answer(catalogContracts.showCertification, {
      ...report,
      status: 'running',
      finishedAt: undefined,
      result: undefined,
      refusal: undefined,
    });
    const reply = await get('/v1/certifications/crt_1');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('etag')).toBeNull();
    const shown = await reply.json();
    expect(shown).toMatchObject({ status: 'running', done: 1 });
    expect(shown).not.toHaveProperty('result');
  });

  it('says what is not there', async () => {
    await catalog.answer(catalogContracts.showCertification, notFound('Unknown.', 'certificationId'));
    for (const id of ['crt_none', '%00', 'a b', 'x'.repeat(81)]) {
      expect(await errorOf(await get(`/v1/certifications/${id}`))).toEqual([404, 'invalid_request', 'id']);
    }
  });
});

describe('when the catalogue is away', () => {
  it('everything of supply is unavailable, and says when to come back', async () => {
    const own = await new GatewayHarness().start();
    for (const path of ['supply/terms', `providers/${provider}`, 'certifications/crt_1']) {
      const reply = await fetch(`${own.url}/v1/${path}`);
      expect(await errorOf(reply)).toEqual([503, 'no_capacity', null]);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await own.stop();
  });
});
