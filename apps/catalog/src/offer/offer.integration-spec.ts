import { catalogContracts } from '@svc/contracts';
import type { OfferStatus, SubmitOfferRequest } from '@svc/contracts';
import type { SvcError } from '@svc/errors';
import { supplyDomain } from '@svc/supply-messages';
import { eventually, testChain } from '@svc/testing';
import { wholeRequest } from '../catalogue/catalogue.for-spec';
import { contractOf, scopeOf } from '../publication/certified-offer.for-spec';
import { SigningProvider, testDomain } from '../signing-provider.for-spec';
import { SETTLEMENT, SupplyMarket } from '../supply-market.for-spec';
import { ownBundle, ownProfile } from './signed-offer.for-spec';

const MODEL = 'svc/tiny@1';

let market: SupplyMarket;

const submit = (request: SubmitOfferRequest) => market.call(catalogContracts.submitOffer, request);

async function registered(): Promise<SigningProvider> {
  const provider = new SigningProvider();
  await market.call(catalogContracts.registerProvider, await provider.registration());
  return provider;
}

async function live(changes: Partial<SubmitOfferRequest> = {}, scope = scopeOf()) {
  const provider = await registered();
  const { offerId } = await submit(await provider.offer(changes));
  await market.certify(offerId, scope);
  await eventually(() => market.offer(offerId));
  return { provider, offerId };
}

const show = ({ wallet }: SigningProvider) =>
  market.call(catalogContracts.showProvider, { provider: wallet });

function refused(call: Promise<unknown>, param: string | undefined, status: number): Promise<void> {
  const message = expect.stringMatching(/^(?:[A-Z]|\S+ (?:must|of) ).*[^.]\.$/) as string;
  return expect(call).rejects.toMatchObject({
    payload: { message, ...(param !== undefined && { param }) },
    status,
  });
}

/** Refused until the oldest of what was done, a moment ago, is an hour old. */
async function refusedForHaste(call: Promise<unknown>): Promise<void> {
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ payload: { param: 'provider' }, status: 429 });
  const seconds = (error as SvcError).payload.retryAfterSeconds;
  expect(seconds).toBeGreaterThan(59 * 60);
  expect(seconds).toBeLessThanOrEqual(60 * 60);
}

beforeAll(async () => {
  market = await SupplyMarket.open({
    ...{ offersPerProvider: 3, certificationsPerHour: 5, versionsPerHour: 8 },
    // What ends is taken away for that, and not because everything is published anew now and then.
    republishMs: 3_600_000,
  });
  await market.apply(wholeRequest());
  await market.apply(
    wholeRequest({
      models: [
        {
          ...wholeRequest().models[0]!,
          id: 'svc/vectors@1',
          capabilities: { ...wholeRequest().models[0]!.capabilities, workload: 'embedding' },
        },
      ],
      bundles: [{ ...wholeRequest().bundles[0]!, id: 'vectors-q4', model: 'svc/vectors@1' }],
    }),
  );
});

afterAll(() => market.close());

beforeEach(() => {
  market.permit = () => ({ permitted: true });
});

describe('an offer', () => {
  it('is certified before anybody sees it, and live from then on', async () => {
    const provider = await registered();
    const status = await submit(await provider.offer());
    expect(status).toMatchObject({
      offerId: provider.offerId(),
      provider: provider.wallet,
      model: MODEL,
      version: 1,
      liveVersion: null,
      state: 'certifying',
      certification: { kind: 'full', status: 'queued', done: 0 },
    });
    expect(status.certification?.total).toBeGreaterThan(0);
    await market.publish();
    expect(market.offer(status.offerId)).toBeUndefined();
    const certificationId = await market.certify(status.offerId);
    const view = await eventually(() => market.offer(status.offerId));
    expect(view).toMatchObject({ version: 1, certified: { certificationId }, inputPricePerMtok: '100000' });
    await eventually(() => market.model(MODEL)?.pricing?.inputPricePerMtok === '100000');
    expect((await show(provider)).offers[0]).toMatchObject({
      state: 'live',
      liveVersion: 1,
      certificationId,
    });
  });

  it('gets a new price at once', async () => {
    const { provider, offerId } = await live();
    const status = await submit(await provider.offer({ inputPricePerMtok: '7', concurrency: 4 }));
    expect(status).toMatchObject({ state: 'live', version: 2, liveVersion: 2, inputPricePerMtok: '7' });
    const view = await eventually(() => {
      const view = market.offer(offerId);
      return view?.version === 2 && view;
    });
    expect(view).toMatchObject({ inputPricePerMtok: '7', concurrency: 4 });
  });

  it('goes on as it was while other terms are certified', async () => {
    const { provider, offerId } = await live();
    const endpoint = 'https://other.example/v1';
    const status = await submit(await provider.offer({ endpoint }));
    expect(status).toMatchObject({ state: 'live', version: 2, liveVersion: 1 });
    await market.publish();
    expect(market.offer(offerId)).toMatchObject({ version: 1, endpoint: 'https://models.example/v1' });
    await market.certify(offerId);
    await eventually(() => market.offer(offerId)?.endpoint === endpoint);
  });

  it('stays away when it is refused, and says why', async () => {
    const provider = await registered();
    const { offerId } = await submit(await provider.offer());
    await market.refuse(offerId);
    const [offer] = (await show(provider)).offers;
    expect(offer).toMatchObject({
      state: 'refused',
      reason: { code: 'plain_text', message: 'no reply came' },
    });
    expect(market.offer(offerId)).toBeUndefined();
    expect(await submit(await provider.offer())).toMatchObject({ state: 'certifying', version: 2 });
  });

  it('keeps its credential while it is not repeated', async () => {
    const { provider, offerId } = await live({ credential: 'sealed-1' });
    expect(market.offer(offerId)?.credential).toBe('sealed-1');
    expect(await submit(await provider.offer({ inputPricePerMtok: '8' }))).toMatchObject({ liveVersion: 2 });
    expect(await submit(await provider.offer({ credential: 'sealed-2' }))).toMatchObject({ liveVersion: 2 });
    expect(await submit(await provider.offer({ credential: '' }))).toMatchObject({
      liveVersion: 2,
      version: 4,
    });
    await market.certify(offerId);
    await eventually(() => market.offer(offerId)?.version === 4);
    expect(market.offer(offerId)).not.toHaveProperty('credential');
  });

  it('brings its own bundle and profile', async () => {
    const provider = await registered();
    const own = { bundle: ownBundle.id, profile: ownProfile.id, contextLimit: 4_096 };
    await refused(provider.offer(own).then(submit), 'bundle', 400);
    const definitions = { bundleDefinition: ownBundle, profileDefinition: ownProfile };
    await expect(submit(await provider.offer({ ...own, ...definitions }))).resolves.toMatchObject({
      bundle: ownBundle.id,
    });
    const other = await registered();
    await expect(submit(await other.offer(own))).resolves.toMatchObject({ profile: ownProfile.id });
  });

  it('leaves when it is withdrawn, and starts anew when it is signed again', async () => {
    const { provider, offerId } = await live();
    await submit(await provider.offer({ endpoint: 'https://other.example/v1' }));
    const withdrawn = await market.call(catalogContracts.withdrawOffer, await provider.withdrawal());
    expect(withdrawn).toMatchObject({ state: 'withdrawn', certification: { status: 'abandoned' } });
    await eventually(() => market.offer(offerId) === undefined);
    await refused(
      provider.withdrawal().then((request) => market.call(catalogContracts.withdrawOffer, request)),
      'offerId',
      409,
    );
    const again = await submit(await provider.offer());
    expect(again).toMatchObject({ state: 'certifying', version: 3, liveVersion: null });
    await market.publish();
    expect(market.offer(offerId)).toBeUndefined();
    await market.certify(offerId);
    await eventually(() => market.offer(offerId)?.version === 3);
  });

  it('does not leave behind what it was suspended for by being withdrawn', async () => {
    const { provider, offerId } = await live();
    const [watchSince, retryAt] = [new Date(), new Date(Date.now() + 60_000)];
    const data = {
      watchCode: 'usage_inflated',
      watchReason: 'x',
      watchSince,
      retryAt,
      nextCanaryAt: retryAt,
    };
    await market.prisma.offer.update({ where: { id: offerId }, data });
    await market.call(catalogContracts.withdrawOffer, await provider.withdrawal());
    const again = await submit(await provider.offer());
    expect(again).toMatchObject({ state: 'suspended', reason: { code: 'usage_inflated' } });
    expect(await market.prisma.offer.findUniqueOrThrow({ where: { id: offerId } })).toMatchObject(data);
    // Once the pause is over there is nothing left to hold against it.
    await market.prisma.offer.update({ where: { id: offerId }, data: { retryAt: new Date() } });
    await market.call(catalogContracts.withdrawOffer, await provider.withdrawal());
    expect(await submit(await provider.offer())).toMatchObject({ state: 'certifying' });
  });

  it('ends by itself at the moment it was signed for', async () => {
    // By then it is live, whatever the machine does meanwhile.
    const endsAt = Math.ceil(Date.now() / 1_000) + 6;
    const { offerId, provider } = await live({ expiresAt: endsAt });
    await eventually(() => market.offer(offerId) === undefined);
    expect(Date.now() - endsAt * 1_000).toBeGreaterThan(-50);
    expect((await show(provider)).offers[0]).toMatchObject({ state: 'expired', reason: { code: 'expired' } });
    await submit(await provider.offer());
    await eventually(() => market.offer(offerId));
  });

  it('ends when its certification does', async () => {
    const provider = await registered();
    const { offerId } = await submit(await provider.offer());
    await market.certify(offerId, scopeOf(), 5_000);
    await eventually(() => market.offer(offerId));
    await eventually(() => market.offer(offerId) === undefined);
    const [offer] = (await show(provider)).offers;
    expect(offer).toMatchObject({ state: 'suspended', reason: { code: 'certification_expired' } });
  });

  it('gives its model what it was certified for', async () => {
    const model = { ...wholeRequest().models[0]!, id: 'svc/able@1' };
    model.capabilities = { ...model.capabilities, tools: true };
    const bundle = { ...wholeRequest().bundles[0]!, id: 'able-q4', model: model.id };
    await market.apply(wholeRequest({ models: [model], bundles: [bundle] }));
    expect((await eventually(() => market.model(model.id))).capabilities.tools).toBe(false);
    const scope = scopeOf({ toolContract: contractOf({ tool_choice: ['auto'] }) });
    const { provider } = await live({ model: model.id, bundle: bundle.id }, scope);
    const view = await eventually(() => {
      const view = market.model(model.id);
      return view?.pricing && view;
    });
    expect(view.toolContract).toMatchObject({ tool_choice: ['auto'] });
    await market.call(catalogContracts.withdrawOffer, await provider.withdrawal(provider.offerId('able-q4')));
    await eventually(() => market.model(model.id)?.pricing === undefined);
    expect(market.model(model.id)?.capabilities.tools).toBe(true);
  });
});

describe('what is signed', () => {
  it('is for this chain and this contract only', async () => {
    const provider = await registered();
    const { chainId } = testChain();
    for (const domain of [
      supplyDomain(chainId + 1, SETTLEMENT),
      supplyDomain(chainId, `0x${'6'.repeat(40)}`),
      { ...testDomain(), name: 'other' },
    ]) {
      const request = await provider.offer();
      await refused(
        submit({ ...request, signature: await provider.sign('Offer', request, domain) }),
        'signature',
        400,
      );
    }
  });

  it('is by the provider, all of it, as what it is', async () => {
    const [provider, other] = [await registered(), await registered()];
    const request = await provider.offer();
    const foreign = await other.sign('Offer', request);
    await refused(submit({ ...request, signature: foreign }), 'signature', 400);
    await refused(submit({ ...request, signature: '0x' + '00'.repeat(65) }), 'signature', 400);
    await refused(submit({ ...request, inputPricePerMtok: '1' }), 'signature', 400);
    await refused(submit({ ...request, provider: other.wallet }), 'signature', 400);
    const withdrawal = await provider.withdrawal();
    await refused(submit({ ...request, signature: withdrawal.signature }), 'signature', 400);
    await refused(
      market.call(catalogContracts.withdrawOffer, {
        provider: other.wallet,
        offerId: provider.offerId(),
        nonce: 9,
        signature: (await other.withdrawal(provider.offerId(), { nonce: 9 })).signature,
      }),
      'offerId',
      404,
    );
  });

  it('is done once', async () => {
    const provider = await registered();
    const request = await provider.offer();
    await submit(request);
    await expect(submit(request)).rejects.toMatchObject({
      status: 409,
      payload: {
        param: 'nonce',
        message: expect.stringMatching(/^The nonce .* not above 2, .*\.$/) as string,
      },
    });
    await refused(provider.offer({ nonce: 1 }).then(submit), 'nonce', 409);
    const [first, second] = [await provider.offer({ nonce: 7 }), await provider.offer({ nonce: 7 })];
    const outcomes = await Promise.allSettled([submit(first), submit(second)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await show(provider)).nonce).toBe(7);
  });

  it.each([
    ['upstreamModel', { upstreamModel: 'tiny\u0000' }],
    ['endpoint', { endpoint: 'https://models.example/\ud800' }],
    ['bundleDefinition.engine', { bundleDefinition: { ...ownBundle, engine: 'a\nb' } }],
    ['inputPricePerMtok', { inputPricePerMtok: '1e3' }],
    ['inputPricePerMtok', { inputPricePerMtok: '-1' }],
    ['provider', { provider: '0x' }],
    ['signature', { signature: '0x0' }],
    ['concurrency', { concurrency: 0 }],
    ['nonce', { nonce: 0.5 }],
  ] satisfies [string, Partial<SubmitOfferRequest>][])('has a shape: %s', async (param, change) => {
    const provider = new SigningProvider();
    await refused(submit({ ...(await provider.offer()), ...change }), param, 400);
  });

  it('counts only when it is stored', async () => {
    const provider = await registered();
    const before = (await show(provider)).nonce;
    await refused(provider.offer({ model: 'svc/none@1' }).then(submit), 'model', 404);
    await refused(provider.offer({ model: 'svc/vectors@1' }).then(submit), 'model', 400);
    await refused(provider.offer({ expiresAt: 1_000 }).then(submit), 'expiresAt', 400);
    await refused(provider.offer({ contextLimit: 8_193 }).then(submit), 'contextLimit', 400);
    await refused(provider.offer({ endpoint: 'https://a:b@c.example/v1' }).then(submit), 'endpoint', 400);
    expect(await show(provider)).toMatchObject({ nonce: before, offers: [] });
  });
});

describe('limits', () => {
  it('are asked of dispatch: which endpoints may be called', async () => {
    const provider = await registered();
    market.permit = (endpoint) => ({ permitted: false, reason: `The address of ${endpoint} is not public.` });
    await expect(submit(await provider.offer())).rejects.toMatchObject({
      payload: {
        param: 'endpoint',
        message: 'The address of https://models.example/v1 is not public.',
      },
    });
    market.permit = undefined;
    const request = await provider.offer();
    await expect(submit(request)).rejects.toMatchObject({ payload: { code: 'no_capacity' } });
    market.permit = () => ({ permitted: true });
    await expect(submit(request)).resolves.toMatchObject({ version: 1 });
  });

  it('are so many offers', async () => {
    const provider = await registered();
    const offer = (speedTier: number): Promise<OfferStatus> => {
      const profile = `tier-${speedTier}`;
      return provider.offer({ profile }).then(submit);
    };
    const [profile] = wholeRequest().profiles;
    const profiles = [1, 2, 3, 4].map((tier) => ({ ...profile!, id: `tier-${tier}`, speedTier: `${tier}` }));
    await market.apply(wholeRequest({ profiles }));
    for (const tier of [1, 2, 3]) await offer(tier);
    await refused(offer(4), 'provider', 409);
    const first = provider.offerId('tiny-q4', 'tier-1');
    await market.call(catalogContracts.withdrawOffer, await provider.withdrawal(first));
    await expect(offer(4)).resolves.toMatchObject({ profile: 'tier-4' });
  });

  it('are so many certifications within an hour; prices are free', async () => {
    const { provider, offerId } = await live();
    for (const tokens of [1, 2, 3, 4]) {
      await submit(await provider.offer({ contextLimit: tokens }));
    }
    await refusedForHaste(provider.offer({ contextLimit: 5 }).then(submit));
    await expect(submit(await provider.offer({ inputPricePerMtok: '3' }))).resolves.toMatchObject({
      liveVersion: 6,
    });
    expect(await market.prisma.offerVersion.count({ where: { offerId } })).toBe(6);
  });

  it('are so many versions within an hour', async () => {
    const { provider } = await live();
    for (const price of [1, 2, 3, 4, 5, 6, 7]) {
      await submit(await provider.offer({ inputPricePerMtok: `${price}` }));
    }
    await refusedForHaste(provider.offer({ inputPricePerMtok: '8' }).then(submit));
    expect((await show(provider)).offers[0]).toMatchObject({ version: 8, inputPricePerMtok: '7' });
  });

  it('keep a model’s context above that of its live offers', async () => {
    await live();
    const [model] = wholeRequest().models;
    const shrunk = { ...model!, contextLimit: 8_191 };
    await refused(market.apply(wholeRequest({ models: [shrunk] })), 'models[0].contextLimit', 400);
  });
});
