import { catalogContracts } from '@svc/contracts';
import type { ModelDefinition, SubmitOfferRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { eventually } from '@svc/testing';
import { modelOf, wholeRequest } from '../catalogue/catalogue.for-spec';
import { SigningProvider } from '../signing-provider.for-spec';
import { SupplyMarket } from '../supply-market.for-spec';

const { id } = modelOf();
let market: SupplyMarket;

const define = (changes: Partial<ModelDefinition>) =>
  market.apply(wholeRequest({ models: [modelOf(changes)] }));
const submit = (request: SubmitOfferRequest) => market.call(catalogContracts.submitOffer, request);

async function standing(provider: SigningProvider) {
  const { offers } = await market.call(catalogContracts.showProvider, { provider: provider.wallet });
  return offers[0];
}

beforeAll(async () => {
  market = await SupplyMarket.open();
  await define({ maxInputPricePerMtok: '200', maxOutputPricePerMtok: '800' });
});

afterAll(() => market?.close());

it('bounds what offers of a model ask, also of those that are live already', async () => {
  const provider = new SigningProvider();
  await market.call(catalogContracts.registerProvider, await provider.registration());
  const terms = { inputPricePerMtok: '200', outputPricePerMtok: '800' };
  const tooDear = await submit(await provider.offer({ ...terms, outputPricePerMtok: '801' })).catch(
    (error: unknown) => error,
  );
  expect(SvcError.is(tooDear) && tooDear.payload).toMatchObject({
    code: 'invalid_request',
    param: 'outputPricePerMtok',
    message: expect.stringContaining('at most 800') as string,
  });
  const { offerId } = await submit(await provider.offer(terms));
  await market.certify(offerId);
  await eventually(() => market.model(id)?.pricing?.outputPricePerMtok === '800');

  await define({ maxInputPricePerMtok: '100' });
  await eventually(() => market.offer(offerId) === undefined && market.model(id)?.pricing === undefined);
  expect(await standing(provider)).toMatchObject({
    state: 'suspended',
    reason: {
      code: 'price_above_ceiling',
      message:
        'The input price is 200; offers of the model may ask at most 100 (base units per million tokens).',
    },
  });

  expect(await submit(await provider.offer({ ...terms, inputPricePerMtok: '100' }))).toMatchObject({
    state: 'live',
    liveVersion: 2,
  });
  await eventually(() => market.offer(offerId)?.inputPricePerMtok === '100');

  await define({ maxInputPricePerMtok: '99' });
  await eventually(() => market.offer(offerId) === undefined);
  await define({});
  await eventually(() => market.offer(offerId)?.version === 2);
  expect(await market.prisma.audit.count({ where: { action: 'model.redefine', subject: id } })).toBe(3);
});
