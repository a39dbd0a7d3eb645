import { catalogContracts } from '@svc/contracts';
import type { SubmitOfferRequest } from '@svc/contracts';
import { wholeRequest } from '../catalogue/catalogue.for-spec';
import { SigningProvider } from '../signing-provider.for-spec';
import { SupplyMarket } from '../supply-market.for-spec';

const OTHER = 'svc/other@1';

let market: SupplyMarket;

const submit = (request: SubmitOfferRequest) => market.call(catalogContracts.submitOffer, request);
const ofOther = { model: OTHER, bundle: 'other-q4' };
const openRuns = (offerId: string) =>
  market.prisma.certification.findMany({ where: { offerId, status: { in: ['queued', 'running'] } } });

async function registered(): Promise<SigningProvider> {
  const provider = new SigningProvider();
  await market.call(catalogContracts.registerProvider, await provider.registration());
  return provider;
}

beforeEach(async () => {
  market = await SupplyMarket.open({ offersPerModel: 2, offersTotal: 3, certificationQueueMax: 2 });
  await market.apply(wholeRequest());
  const [model, bundle] = [wholeRequest().models[0]!, wholeRequest().bundles[0]!];
  await market.apply(
    wholeRequest({
      models: [{ ...model, id: OTHER }],
      bundles: [{ ...bundle, id: ofOther.bundle, model: OTHER }],
    }),
  );
});

afterEach(() => market.close());

it('has room for so many offers of a model, and of all; what was refused takes none', async () => {
  const offerOf = async (changes: Partial<SubmitOfferRequest> = {}) => {
    const provider = await registered();
    const { offerId } = await submit(await provider.offer(changes));
    await market.certify(offerId);
    return { provider, offerId };
  };
  const { provider } = await offerOf();
  const refused = await submit(await (await registered()).offer());
  await market.refuse(refused.offerId);
  await offerOf();
  await expect(offerOf()).rejects.toMatchObject({
    status: 409,
    payload: { param: 'model', message: expect.stringContaining('svc/tiny@1') as string },
  });
  // Who has a place keeps it.
  await expect(submit(await provider.offer({ inputPricePerMtok: '9' }))).resolves.toMatchObject({
    version: 2,
  });
  await offerOf(ofOther);
  await expect(offerOf(ofOther)).rejects.toMatchObject({
    status: 409,
    payload: { message: expect.stringContaining('The marketplace has 3 offers') as string },
  });
  await market.call(catalogContracts.withdrawOffer, await provider.withdrawal());
  await expect(offerOf(ofOther)).resolves.toMatchObject({ offerId: expect.any(String) as string });
});

it('keeps no place for whoever is suspended, over or gone', async () => {
  const offerOf = async () => {
    const provider = await registered();
    const { offerId } = await submit(await provider.offer());
    await market.certify(offerId);
    return { provider, offerId };
  };
  const full = { status: 409, payload: { param: 'model' } };
  const [first, second] = [await offerOf(), await offerOf()];
  await expect(offerOf()).rejects.toMatchObject(full);
  const act = { actor: 'carol', reason: 'a test' };
  await market.operate(catalogContracts.suspendProvider, { ...act, provider: first.provider.wallet });
  const past = new Date(Date.now() - 1_000);
  await market.prisma.offer.update({ where: { id: second.offerId }, data: { certifiedUntil: past } });
  const [third, fourth] = [await offerOf(), await offerOf()];
  await expect(offerOf()).rejects.toMatchObject(full);
  await market.operate(catalogContracts.suspendOffer, { ...act, offerId: third.offerId });
  const lastSeenAt = new Date(Date.now() - 25 * 3_600_000);
  await market.prisma.offer.update({ where: { id: fourth.offerId }, data: { lastSeenAt } });
  await offerOf();
  await offerOf();
  // Who comes back is one more than may be, and keeps nobody out who is there.
  await market.operate(catalogContracts.reinstateOffer, { ...act, offerId: third.offerId });
  await expect(submit(await third.provider.offer({ inputPricePerMtok: '9' }))).resolves.toMatchObject({
    liveVersion: 2,
  });
  await expect(offerOf()).rejects.toMatchObject(full);
});

it('has room for so many certifications that wait', async () => {
  const [first, second] = [await registered(), await registered()];
  const { offerId } = await submit(await first.offer());
  await submit(await second.offer());
  await expect((await registered()).offer(ofOther).then(submit)).rejects.toMatchObject({
    status: 429,
    payload: {
      message: 'As many certifications wait already as may (2). Nothing was stored; retry later.',
      retryAfterSeconds: 10,
    },
  });
  // One that takes the place of its own is not one more; a price needs none.
  await expect(submit(await first.offer({ contextLimit: 4_096 }))).resolves.toMatchObject({ version: 2 });
  await market.certify(offerId);
  await submit(await (await registered()).offer(ofOther));
  await expect(
    submit(await first.offer({ contextLimit: 4_096, inputPricePerMtok: '5' })),
  ).resolves.toMatchObject({
    liveVersion: 3,
  });
});

it('has room for others however many certifications of suspended providers wait', async () => {
  const barred = [await registered(), await registered()];
  for (const provider of barred) await submit(await provider.offer());
  const other = await registered();
  await expect(other.offer(ofOther).then(submit)).rejects.toMatchObject({ status: 429 });
  for (const { wallet: provider } of barred) {
    await market.operate(catalogContracts.suspendProvider, { actor: 'carol', reason: 'a test', provider });
  }
  await expect(other.offer(ofOther).then(submit)).resolves.toMatchObject({ version: 1 });
});

it('does not begin a first certification anew for a price', async () => {
  const provider = await registered();
  const { offerId } = await submit(await provider.offer());
  const [begun] = await openRuns(offerId);
  await submit(await provider.offer({ inputPricePerMtok: '7', concurrency: 4 }));
  expect(await openRuns(offerId)).toMatchObject([{ id: begun?.id, version: 2 }]);
  await submit(await provider.offer({ inputPricePerMtok: '7', endpoint: 'https://other.example/v1' }));
  const [anew] = await openRuns(offerId);
  expect(anew).toMatchObject({ version: 3 });
  expect(anew?.id).not.toBe(begun?.id);
});

it('does not lose what an operator ordered when a price changes', async () => {
  const provider = await registered();
  const { offerId } = await submit(await provider.offer());
  await market.certify(offerId);
  await market.operate(catalogContracts.certifyOffer, { actor: 'carol', reason: 'a test', offerId });
  const [ordered] = await openRuns(offerId);
  expect(ordered).toMatchObject({ version: 1, orderedBy: 'house', owed: true });
  await submit(await provider.offer({ inputPricePerMtok: '7' }));
  // The same is probed: it goes on for the new version.
  expect(await openRuns(offerId)).toMatchObject([{ id: ordered?.id, version: 2 }]);
  // A version with other terms takes its place, and when that is taken back, it is ordered anew.
  await submit(await provider.offer({ endpoint: 'https://other.example/v1' }));
  expect(await openRuns(offerId)).toMatchObject([{ version: 3, orderedBy: 'provider', owed: true }]);
  await submit(await provider.offer({ inputPricePerMtok: '8' }));
  expect(await openRuns(offerId)).toMatchObject([{ version: 4, orderedBy: 'house', owed: true }]);
  await market.certify(offerId);
  // What only the provider's own version called for is over with that.
  await submit(await provider.offer({ endpoint: 'https://other.example/v1' }));
  expect(await openRuns(offerId)).toHaveLength(1);
  await submit(await provider.offer({ inputPricePerMtok: '9' }));
  expect(await openRuns(offerId)).toEqual([]);
});
