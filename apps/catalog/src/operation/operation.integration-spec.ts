import { catalogContracts } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { wholeRequest } from '../catalogue/catalogue.for-spec';
import { SigningProvider } from '../signing-provider.for-spec';
import { SupplyMarket } from '../supply-market.for-spec';

const MODEL = 'svc/tiny@1';
const act = { actor: 'carol', reason: 'a test' };

let market: SupplyMarket;
let provider: SigningProvider;
let offerId: string;

const stateOf = async () => {
  const [offer] = (await market.call(catalogContracts.showProvider, { provider: provider.wallet })).offers;
  return offer;
};
const lastActs = async (subject: string, limit: number) => {
  const { entries } = await market.operate(catalogContracts.listAudit, { subject, limit });
  return entries.map(({ action, actor, reason }) => [action, actor, reason]);
};

beforeAll(async () => {
  market = await SupplyMarket.open();
  await market.apply(wholeRequest());
  provider = new SigningProvider();
  await market.call(catalogContracts.registerProvider, await provider.registration());
  ({ offerId } = await market.call(catalogContracts.submitOffer, await provider.offer()));
  await market.certify(offerId);
  await eventually(() => market.offer(offerId));
});

afterAll(() => market.close());

describe('operators', () => {
  it('take an offer off the market, and let it back', async () => {
    await market.operate(catalogContracts.suspendOffer, { ...act, offerId });
    await eventually(() => market.offer(offerId) === undefined);
    await eventually(() => market.model(MODEL)?.pricing === undefined);
    expect(await stateOf()).toMatchObject({
      state: 'suspended',
      reason: { code: 'operator', message: 'a test' },
    });
    await market.operate(catalogContracts.reinstateOffer, { ...act, offerId });
    await eventually(() => market.offer(offerId));
    expect(await lastActs(offerId, 2)).toEqual([
      ['offer.reinstate', 'carol', 'a test'],
      ['offer.suspend', 'carol', 'a test'],
    ]);
  });

  it('take all of a provider’s offers off the market, and nothing it signs is stored meanwhile', async () => {
    await market.operate(catalogContracts.suspendProvider, { ...act, provider: provider.wallet });
    await eventually(() => market.offer(offerId) === undefined);
    expect(await stateOf()).toMatchObject({ state: 'suspended', reason: { code: 'provider_suspended' } });
    for (const call of [
      provider.registration().then((request) => market.call(catalogContracts.registerProvider, request)),
      provider.offer().then((request) => market.call(catalogContracts.submitOffer, request)),
    ]) {
      await expect(call).rejects.toMatchObject({ status: 403, payload: { param: 'provider' } });
    }
    const { suspension, nonce } = await market.operate(catalogContracts.showProvider, {
      provider: provider.wallet,
    });
    expect(suspension).toMatchObject({ reason: 'a test' });
    expect(nonce).toBe(2);
    await market.operate(catalogContracts.reinstateProvider, { ...act, provider: provider.wallet });
    await eventually(() => market.offer(offerId));
    expect(await lastActs(provider.wallet, 2)).toEqual([
      ['provider.reinstate', 'carol', 'a test'],
      ['provider.suspend', 'carol', 'a test'],
    ]);
  });

  it('have an offer certified anew while it serves on', async () => {
    await market.operate(catalogContracts.certifyOffer, { ...act, offerId });
    expect(await stateOf()).toMatchObject({
      state: 'live',
      certification: { kind: 'full', status: 'queued' },
    });
    const before = market.offer(offerId)?.certified.certificationId;
    const certificationId = await market.certify(offerId);
    expect(certificationId).not.toBe(before);
    await eventually(() => market.offer(offerId)?.certified.certificationId === certificationId);
  });

  it('let a provider they suspended leave, and do no more', async () => {
    const leaving = new SigningProvider();
    await market.call(catalogContracts.registerProvider, await leaving.registration());
    const { offerId: left } = await market.call(catalogContracts.submitOffer, await leaving.offer());
    await market.operate(catalogContracts.suspendProvider, { ...act, provider: leaving.wallet });
    await expect(
      market.call(catalogContracts.withdrawOffer, await leaving.withdrawal(left)),
    ).resolves.toMatchObject({ state: 'withdrawn' });
    await expect(
      leaving.offer().then((request) => market.call(catalogContracts.submitOffer, request)),
    ).rejects.toMatchObject({ status: 403 });
  });

  it('hear of what is not there', async () => {
    const nobody = { ...act, provider: `0x${'9'.repeat(40)}` };
    const nothing = { ...act, offerId: 'ofr_0' };
    for (const [call, param] of [
      [market.operate(catalogContracts.suspendProvider, nobody), 'provider'],
      [market.operate(catalogContracts.reinstateProvider, nobody), 'provider'],
      [market.operate(catalogContracts.suspendOffer, nothing), 'offerId'],
      [market.operate(catalogContracts.reinstateOffer, nothing), 'offerId'],
      [market.operate(catalogContracts.certifyOffer, nothing), 'offerId'],
    ] as const) {
      const message =
        param === 'provider'
          ? `No provider ${nobody.provider} is registered here; check the address, or register it first.`
          : 'There is no offer ofr_0 here.';
      await expect(call).rejects.toMatchObject({ status: 404, payload: { param, message } });
    }
    expect(await lastActs('ofr_0', 10)).toEqual([]);
  });

  it('cannot have certified what was withdrawn', async () => {
    await market.call(catalogContracts.withdrawOffer, await provider.withdrawal());
    await expect(market.operate(catalogContracts.certifyOffer, { ...act, offerId })).rejects.toMatchObject({
      status: 409,
      payload: {
        param: 'offerId',
        message: `The offer ${offerId} is withdrawn; it can be certified once its provider has signed it anew.`,
      },
    });
  });

  it('find all that was done, page by page', async () => {
    const first = await market.operate(catalogContracts.listAudit, { limit: 3 });
    expect(first.entries).toHaveLength(3);
    const second = await market.operate(catalogContracts.listAudit, { limit: 1_000, before: first.next! });
    expect(second.next).toBeNull();
    const actions = new Set([...first.entries, ...second.entries].map(({ action }) => action));
    for (const action of [
      'model.define',
      'bundle.define',
      'profile.define',
      'offer.submit',
      'offer.withdraw',
    ]) {
      expect(actions).toContain(action);
    }
  });
});
