import { catalogContracts } from '@svc/contracts';
import type { ListProvidersRequest } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { wholeRequest } from '../catalogue/catalogue.for-spec';
import { SigningProvider } from '../signing-provider.for-spec';
import { SupplyMarket } from '../supply-market.for-spec';

const act = { actor: '0xoperator', reason: 'a test' };

let market: SupplyMarket;
let ada: SigningProvider;
let bob: SigningProvider;

async function registered(name: string): Promise<SigningProvider> {
  const provider = new SigningProvider();
  await market.call(
    catalogContracts.registerProvider,
    await provider.registration({ name, contact: 'ops@example.com' }),
  );
  return provider;
}

const page = (request: ListProvidersRequest = {}) => market.call(catalogContracts.listProviders, request);
const namesOf = async (request: ListProvidersRequest) =>
  (await page(request)).providers.map(({ name }) => name);

beforeAll(async () => {
  market = await SupplyMarket.open();
  await market.apply(wholeRequest());
  ada = await registered('Ada');
  bob = await registered('bob');
  await registered('Ädelheid');
  await registered('adam');
  await registered('100% sure_');
});

afterAll(() => market.close());

describe('the list of providers', () => {
  it('is in the order of their names, page by page', async () => {
    const first = await page({ limit: 2 });
    expect(first.providers.map(({ name }) => name)).toEqual(['100% sure_', 'Ada']);
    const second = await page({ limit: 2, after: first.next! });
    expect(second.providers.map(({ name }) => name)).toEqual(['adam', 'bob']);
    const last = await page({ limit: 2, after: second.next! });
    expect(last).toMatchObject({ providers: [{ name: 'Ädelheid' }], next: null });
  });

  it('is searched by how a name begins, in whatever case, and nothing in it is a pattern', async () => {
    expect(await namesOf({ search: 'aDA' })).toEqual(['Ada', 'adam']);
    expect(await namesOf({ search: 'ada', after: ada.wallet })).toEqual(['adam']);
    expect(await namesOf({ search: '%' })).toEqual([]);
    expect(await namesOf({ search: '100%' })).toEqual(['100% sure_']);
    expect(await namesOf({ search: "'; DROP TABLE catalog.providers; --" })).toEqual([]);
  });

  it('is searched by how a wallet begins', async () => {
    const { providers } = await page({ search: bob.wallet.slice(0, 12).toUpperCase().replace('0X', '0x') });
    expect(providers).toMatchObject([{ provider: bob.wallet, name: 'bob', suspension: null, offers: 0 }]);
    expect(await namesOf({ search: bob.wallet, after: bob.wallet })).toEqual([]);
  });

  it('tells operators how to reach a provider, how many offers it has, and whether it is suspended', async () => {
    const { offerId } = await market.call(catalogContracts.submitOffer, await bob.offer());
    await market.call(catalogContracts.suspendProvider, { ...act, provider: bob.wallet });
    const [found] = (await page({ suspended: true })).providers;
    expect(found).toMatchObject({ contact: 'ops@example.com', offers: 1, suspension: { reason: 'a test' } });
    expect(await namesOf({ suspended: true, search: 'a' })).toEqual([]);
    await market.call(catalogContracts.reinstateProvider, { ...act, provider: bob.wallet });
    await market.call(catalogContracts.withdrawOffer, await bob.withdrawal(offerId));
    expect((await page({ search: 'bob' })).providers).toMatchObject([{ offers: 0, suspension: null }]);
    const { entries } = await market.call(catalogContracts.listAudit, { subject: bob.wallet, limit: 2 });
    expect(entries).toMatchObject([
      { action: 'provider.reinstate', ...act },
      { action: 'provider.suspend', ...act },
    ]);
  });
});

describe('what a provider fills the form of an offer with', () => {
  it('is what it signed last, and nobody else’s', async () => {
    const signed = await ada.offer({ endpoint: 'https://ada.example.com/v1', upstreamModel: 'ada-8b' });
    const { offerId } = await market.call(catalogContracts.submitOffer, signed);
    const shown = await market.call(catalogContracts.showOfferTerms, { provider: ada.wallet, offerId });
    const wanted: Record<string, unknown> = { ...signed, offerId, version: 1, hasCredential: false };
    for (const field of ['nonce', 'signature']) delete wanted[field];
    expect(shown).toEqual(wanted);
    for (const asked of [
      { provider: bob.wallet, offerId },
      { provider: ada.wallet, offerId: 'ofr_0' },
    ]) {
      await expect(market.call(catalogContracts.showOfferTerms, asked)).rejects.toMatchObject({
        status: 404,
        payload: { param: 'offerId' },
      });
    }
  });

  it('may choose from what is defined already', async () => {
    const { bundles, profiles } = wholeRequest();
    const [bundle] = bundles;
    const shown = await market.call(catalogContracts.listBuilds, { model: bundle!.model });
    expect(shown.bundles).toContainEqual(bundle);
    expect(shown.bundles.every(({ model }) => model === bundle!.model)).toBe(true);
    expect(shown.profiles).toEqual(expect.arrayContaining(profiles));
    const none = await market.call(catalogContracts.listBuilds, { model: 'svc/none@1' });
    expect(none.bundles).toEqual([]);
  });
});

describe('the market as a whole', () => {
  it('is counted, and what is live is what was published', async () => {
    const before = await market.call(catalogContracts.showOverview, {});
    expect(before).toMatchObject({ providers: 5, suspendedProviders: 0, liveOffers: 0 });
    const { offers } = await market.call(catalogContracts.showProvider, { provider: ada.wallet });
    await market.certify(offers[0]!.offerId);
    await eventually(async () => (await market.call(catalogContracts.showOverview, {})).liveOffers === 1);
  });
});
