import { catalogContracts } from '@svc/contracts';
import type { RoutingModelView } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { vendorOf } from '../publication/managed-vendor.for-spec';
import { seedOffer } from '../seeded-offers.for-spec';
import { SupplyMarket } from '../supply-market.for-spec';
import { requestOf, wholeRequest } from './catalogue.for-spec';

const OFFER = 'managed-vendor-tiny';
const routing = {
  id: 'svc/cortex@1',
  ownedBy: 'svc',
  candidates: ['svc/tiny@1'],
  maxInputPricePerMtok: '1000000',
  maxOutputPricePerMtok: '4000000',
};
let market: SupplyMarket;

beforeAll(async () => {
  market = await SupplyMarket.open();
  await market.apply(wholeRequest());
});
afterAll(() => market.close());

const audit = async (subject: string) => {
  const { entries } = await market.operate(catalogContracts.listAudit, { subject });
  return entries.map(({ actor, action, reason }) => [actor, action, reason]);
};

describe('a routing model', () => {
  it('is published among the models, and redefined by another definition', async () => {
    await expect(market.apply(requestOf({ routingModels: [routing] }))).resolves.toMatchObject({
      models: 1,
      routingModels: 1,
    });
    const view = () => market.model('svc/cortex@1') as unknown as RoutingModelView | undefined;
    expect(await eventually(view)).toMatchObject(routing);
    const dearer = { ...routing, maxOutputPricePerMtok: '5000000' };
    await market.apply(requestOf({ routingModels: [dearer] }));
    await eventually(() => view()?.maxOutputPricePerMtok === '5000000');
    await market.apply(requestOf({ routingModels: [dearer] }));
    expect(await audit('svc/cortex@1')).toEqual([
      ['operator', 'routing.redefine', null],
      ['operator', 'routing.define', null],
    ]);
  });
});

describe('a managed vendor', () => {
  const act = { actor: 'carol', reason: 'an agreement' };

  it('stands among the offers, whoever else does, until it is retired', async () => {
    const vendor = vendorOf({ credential: 'sealed' });
    const request = requestOf({ managedVendors: [vendor], ...act });
    await expect(market.apply(request)).resolves.toMatchObject({ managedVendors: 1 });
    expect(await eventually(() => market.offer(OFFER))).toMatchObject({
      mapping: 'vendor-tiny',
      provider: vendor.payee,
      credential: 'sealed',
      version: 1,
    });
    await eventually(() => market.model('svc/tiny@1')?.managedPricing?.inputPricePerMtok === '900000');
    expect(market.model('svc/tiny@1')?.pricing).toBeUndefined();
    await seedOffer(market.prisma, { id: 'ofr_1' });
    await market.publish();
    await eventually(() => market.model('svc/tiny@1')?.pricing?.inputPricePerMtok === '100000');

    await market.apply(requestOf({ managedVendors: [vendorOf({ inputPricePerMtok: '800000' })], ...act }));
    await eventually(() => market.offer(OFFER)?.version === 2);
    expect(market.offer(OFFER)).toMatchObject({ inputPricePerMtok: '800000', credential: 'sealed' });

    const retired = vendorOf({ inputPricePerMtok: '800000', retired: true });
    await expect(market.apply(requestOf({ managedVendors: [retired], ...act }))).resolves.toMatchObject({
      managedVendors: 0,
    });
    await eventually(() => market.offer(OFFER) === undefined);
    await eventually(() => market.model('svc/tiny@1')?.managedPricing === undefined);
    expect(await audit('vendor-tiny')).toEqual([
      ['carol', 'managed.retire', 'an agreement'],
      ['carol', 'managed.redefine', 'an agreement'],
      ['carol', 'managed.define', 'an agreement'],
    ]);
  });

  it('is shown to operators without its credential', async () => {
    const { routingModels, managedVendors } = await market.operate(catalogContracts.showCatalogue, {});
    expect(routingModels.map(({ id }) => id)).toEqual(['svc/cortex@1']);
    expect(managedVendors).toEqual([
      expect.objectContaining({ mapping: 'vendor-tiny', retired: true, hasCredential: true, version: 3 }),
    ]);
    expect(JSON.stringify(managedVendors)).not.toContain('sealed');
  });

  it('is called only where dispatch may call, which is asked once', async () => {
    const asked: string[] = [];
    market.permit = (endpoint) => {
      asked.push(endpoint);
      return { permitted: !endpoint.includes('10.0.0.1'), reason: 'it is a private address' };
    };
    const request = (endpoint: string) =>
      requestOf({ managedVendors: [vendorOf({ mapping: 'another', endpoint })] });
    await expect(market.apply(request('http://10.0.0.1/v1'))).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'managedVendors[0].endpoint' },
    });
    await market.apply(request('https://vendor.example/v1'));
    await market.apply(request('https://vendor.example/v1'));
    expect(asked).toEqual(['http://10.0.0.1/v1', 'https://vendor.example/v1']);
  });

  it('cannot be brought back where dispatch may not call', async () => {
    market.permit = (endpoint) => ({ permitted: !endpoint.includes('10.0.0.1') });
    const vendor = vendorOf({ mapping: 'another', endpoint: 'http://10.0.0.1/v1' });
    await market.apply(requestOf({ managedVendors: [{ ...vendor, retired: true }] }));
    await expect(market.apply(requestOf({ managedVendors: [vendor] }))).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'managedVendors[0].endpoint' },
    });
  });
});
