import type { ApplyCatalogueRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import type { Catalogue } from './catalogue';
import { OTHER_PROVIDER, modelOf, offerOf, requestOf, wholeRequest } from './catalogue.for-spec';
import { planChanges } from './plan-changes';

const empty: Catalogue = {
  models: new Map(),
  bundles: new Map(),
  profiles: new Map(),
  providers: new Map(),
  offers: new Map(),
};
const standing = planChanges(empty, wholeRequest()).result;

function refusal(request: ApplyCatalogueRequest, current = standing): { message: string; param?: string } {
  try {
    planChanges(current, request);
  } catch (error) {
    if (SvcError.is(error)) return error.payload;
    throw error;
  }
  throw new Error('was not refused');
}

describe('planChanges', () => {
  it('adds what is new, redefines what differs, leaves alone what is repeated', () => {
    const request = requestOf({
      models: [modelOf(), modelOf({ id: 'svc/tiny@2' })],
      offers: [offerOf({ inputPricePerMtok: '90000' })],
    });
    const { changes, result } = planChanges(standing, request);
    expect(changes.models.added.map(({ id }) => id)).toEqual(['svc/tiny@2']);
    expect(changes.models.redefined).toEqual([]);
    expect(changes.offers.redefined).toEqual(request.offers);
    expect(result.offers.get('offer-1')?.inputPricePerMtok).toBe('90000');
    expect(result.providers).toEqual(standing.providers);
  });

  it('changes nothing when a request is repeated', () => {
    const { changes } = planChanges(standing, wholeRequest());
    for (const { added, redefined } of Object.values(changes)) {
      expect([...added, ...redefined]).toEqual([]);
    }
  });

  it.each([
    ['provider', { provider: OTHER_PROVIDER }],
    ['bundle', { bundle: 'nothing' }],
    ['profile', { profile: 'nothing' }],
  ] as const)('refuses a new offer of an unknown %s', (part, change) => {
    const { message, param } = refusal(requestOf({ offers: [offerOf({ id: 'offer-2', ...change })] }));
    expect(param).toBe(`offers[0].${part}`);
    expect(message).toContain(`names the ${part} "${Object.values(change)[0]}", which is not defined`);
  });

  it('refuses a bundle of an unknown model', () => {
    const [bundle] = wholeRequest().bundles;
    const request = requestOf({ bundles: [{ ...bundle!, id: 'other', model: 'svc/none@1' }] });
    expect(refusal(request).param).toBe('bundles[0].model');
  });

  it('takes what a request itself defines as defined', () => {
    expect(() => planChanges(empty, wholeRequest())).not.toThrow();
    expect(refusal(requestOf({ offers: [offerOf()] }), empty).param).toBe('offers[0].provider');
  });

  it('refuses prices above 10^12, and takes 10^12', () => {
    const priced = (price: string) => requestOf({ offers: [offerOf({ outputPricePerMtok: price })] });
    expect(() => planChanges(standing, priced('1000000000000'))).not.toThrow();
    expect(refusal(priced('1000000000001'))).toMatchObject({
      param: 'offers[0].outputPricePerMtok',
      message: expect.stringContaining('at most 1000000000000') as string,
    });
  });

  it('refuses an offer that asks nothing at all', () => {
    const priced = (input: string, output: string) =>
      requestOf({ offers: [offerOf({ inputPricePerMtok: input, outputPricePerMtok: output })] });
    expect(refusal(priced('0', '0')).param).toBe('offers[0].outputPricePerMtok');
    expect(() => planChanges(standing, priced('0', '1'))).not.toThrow();
    expect(() => planChanges(standing, priced('1', '0'))).not.toThrow();
  });

  it('refuses a live offer whose profile has more context than the model', () => {
    const long = { id: 'cpu-16k', hardwareClass: 'cpu', contextLimit: 16_384, speedTier: 'standard' };
    const offer = offerOf({ id: 'offer-2', profile: 'cpu-16k' });
    const { message, param } = refusal(requestOf({ profiles: [long], offers: [offer] }));
    expect(param).toBe('offers[0].profile');
    expect(message).toContain('16384 tokens, above the 8192 of the model "svc/tiny@1"');
    const resting = requestOf({ profiles: [long], offers: [{ ...offer, active: false }] });
    expect(() => planChanges(standing, resting)).not.toThrow();
  });

  it('refuses to shrink a model below a live offer, unless the offer is withdrawn with it', () => {
    const shrunk = modelOf({ contextLimit: 4_096 });
    expect(refusal(requestOf({ models: [shrunk] })).param).toBe('models[0].contextLimit');
    const both = requestOf({ models: [shrunk], offers: [offerOf({ active: false })] });
    expect(() => planChanges(standing, both)).not.toThrow();
  });

  it.each([
    [
      'models[0].capabilities.workload',
      { models: [modelOf({ capabilities: { ...modelOf().capabilities, workload: 'embedding' } })] },
    ],
    ['bundles[0].engine', { bundles: [{ ...wholeRequest().bundles[0]!, engine: 'vLLM' }] }],
    ['profiles[0].contextLimit', { profiles: [{ ...wholeRequest().profiles[0]!, contextLimit: 1 }] }],
    [
      'offers[0].provider',
      {
        providers: [{ wallet: OTHER_PROVIDER, name: 'Bob' }],
        offers: [offerOf({ provider: OTHER_PROVIDER })],
      },
    ],
  ] satisfies [string, Partial<ApplyCatalogueRequest>][])('refuses to change %s', (path, parts) => {
    const { message, param } = refusal(requestOf(parts));
    expect(param).toBe(path);
    expect(message).toContain('for good');
  });

  it('refuses a request that names one thing twice', () => {
    expect(refusal(requestOf({ offers: [offerOf(), offerOf()] }))).toMatchObject({
      param: 'offers[1]',
      message: 'offers[1] names the offer "offer-1" a second time',
    });
  });

  it('leaves the catalogue it was given as it was', () => {
    const before = [...standing.offers.entries()];
    planChanges(standing, requestOf({ offers: [offerOf({ id: 'offer-3' })] }));
    expect([...standing.offers.entries()]).toEqual(before);
  });
});
