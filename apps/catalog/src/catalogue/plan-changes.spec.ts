import type { ApplyCatalogueRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import type { Catalogue, StandingOffers } from './catalogue';
import { modelOf, requestOf, wholeRequest } from './catalogue.for-spec';
import { vendorOf } from '../publication/managed-vendor.for-spec';
import { planChanges } from './plan-changes';

const empty: Catalogue = {
  models: new Map(),
  bundles: new Map(),
  profiles: new Map(),
  routingModels: new Map(),
  managedVendors: new Map(),
};
const nobody: StandingOffers = new Map();
const standing = planChanges(empty, nobody, wholeRequest()).result;

function refusal(request: ApplyCatalogueRequest, offers = nobody): { message: string; param?: string } {
  try {
    planChanges(standing, offers, request);
  } catch (error) {
    if (SvcError.is(error)) return error.payload;
    throw error;
  }
  throw new Error('was not refused');
}

/** One whole sentence that begins with these words. */
function sentenceFrom(words: string): string {
  const begin = words.replace(/[.[\]]/g, '\\$&');
  return expect.stringMatching(new RegExp(`^${begin} .+[^.]\\.$`)) as string;
}

describe('planChanges', () => {
  it('adds what is new, redefines what differs, leaves alone what is repeated', () => {
    const request = requestOf({ models: [modelOf({ ownedBy: 'other' }), modelOf({ id: 'svc/tiny@2' })] });
    const { changes, result } = planChanges(standing, nobody, request);
    expect(changes.models.added.map(({ id }) => id)).toEqual(['svc/tiny@2']);
    expect(changes.models.redefined).toEqual([request.models[0]]);
    expect(result.models.get('svc/tiny@1')?.ownedBy).toBe('other');
    expect(result.bundles).toEqual(standing.bundles);
  });

  it('changes nothing when a request is repeated', () => {
    const { changes } = planChanges(standing, nobody, wholeRequest());
    for (const { added, redefined } of Object.values(changes)) {
      expect([...added, ...redefined]).toEqual([]);
    }
  });

  it('refuses a bundle of an unknown model', () => {
    const [bundle] = wholeRequest().bundles;
    const request = requestOf({ bundles: [{ ...bundle!, id: 'other', model: 'svc/none@1' }] });
    expect(refusal(request)).toEqual({
      code: 'invalid_request',
      param: 'bundles[0].model',
      message:
        'bundles[0].model of the bundle "other" is "svc/none@1", which is not defined; define that model too.',
    });
  });

  it('takes what a request itself defines as defined', () => {
    expect(() => planChanges(empty, nobody, wholeRequest())).not.toThrow();
  });

  it('refuses to shrink a model below a live offer', () => {
    const offers = new Map([['svc/tiny@1', { offerId: 'ofr_1', contextLimit: 4_096 }]]);
    const shrunk = (contextLimit: number) => requestOf({ models: [modelOf({ contextLimit })] });
    expect(refusal(shrunk(4_095), offers)).toMatchObject({
      param: 'models[0].contextLimit',
      message: expect.stringContaining('"ofr_1" is live with 4096') as string,
    });
    expect(() => planChanges(standing, offers, shrunk(4_096))).not.toThrow();
    expect(() => planChanges(standing, nobody, shrunk(1))).not.toThrow();
  });

  it.each([
    [
      'models[0].capabilities.workload',
      { models: [modelOf({ capabilities: { ...modelOf().capabilities, workload: 'embedding' } })] },
    ],
    ['bundles[0].engine', { bundles: [{ ...wholeRequest().bundles[0]!, engine: 'vLLM' }] }],
    ['profiles[0].contextLimit', { profiles: [{ ...wholeRequest().profiles[0]!, contextLimit: 1 }] }],
  ] satisfies [string, Partial<ApplyCatalogueRequest>][])('refuses to change %s', (path, parts) => {
    const { message, param } = refusal(requestOf(parts));
    expect(param).toBe(path);
    expect(message).toMatch(/^\w+\[0\]\.\S+ of the \w+ ".+" is .+ for good; define another \w+ instead\.$/);
  });

  it('refuses a request that names one thing twice', () => {
    expect(refusal(requestOf({ models: [modelOf(), modelOf()] }))).toMatchObject({
      param: 'models[1]',
      message: 'models[1] names the model "svc/tiny@1" a second time; name it once.',
    });
  });

  it('leaves the catalogue it was given as it was', () => {
    const before = [...standing.models.entries()];
    planChanges(standing, nobody, requestOf({ models: [modelOf({ id: 'svc/other@1' })] }));
    expect([...standing.models.entries()]).toEqual(before);
  });
});

describe('planChanges of routing models', () => {
  const routing = {
    id: 'svc/cortex@1',
    ownedBy: 'svc',
    candidates: ['svc/tiny@1'],
    maxInputPricePerMtok: '1000000',
    maxOutputPricePerMtok: '4000000',
  };
  const embedding = modelOf({
    id: 'svc/embed@1',
    capabilities: { ...modelOf().capabilities, workload: 'embedding' },
  });

  it('takes one whose candidates are defined, by the same request or before', () => {
    const { changes } = planChanges(empty, nobody, wholeRequest({ routingModels: [routing] }));
    expect(changes.routingModels.added).toEqual([routing]);
    const dearer = { ...routing, maxInputPricePerMtok: '2' };
    const known = planChanges(standing, nobody, requestOf({ routingModels: [routing] })).result;
    expect(
      planChanges(known, nobody, requestOf({ routingModels: [dearer] })).changes.routingModels,
    ).toMatchObject({ added: [], redefined: [dearer] });
  });

  it.each([
    ['routingModels[0].candidates[1]', { ...routing, candidates: ['svc/tiny@1', 'svc/none@1'] }],
    ['routingModels[0].candidates[0]', { ...routing, candidates: ['svc/embed@1'] }],
    ['routingModels[0].candidates[0]', { ...routing, candidates: ['svc/cortex@1'] }],
    ['routingModels[0].id', { ...routing, id: 'svc/tiny@1' }],
    ['routingModels[0].maxOutputPricePerMtok', { ...routing, maxOutputPricePerMtok: '1000000000001' }],
  ])('names %s of one that does not fit', (path, definition) => {
    const request = requestOf({ models: [embedding], routingModels: [definition] });
    expect(refusal(request)).toMatchObject({ param: path, message: sentenceFrom(path) });
  });

  it('refuses a model under the id of one', () => {
    const known = planChanges(standing, nobody, requestOf({ routingModels: [routing] })).result;
    const request = requestOf({ models: [modelOf({ id: 'svc/cortex@1' })] });
    expect(() => planChanges(known, nobody, request)).toThrow(
      'models[0].id must not be "svc/cortex@1", which is a routing model.',
    );
  });
});

describe('planChanges of managed vendors', () => {
  const sealed = vendorOf({ credential: 'sealed' });
  const known = planChanges(standing, nobody, requestOf({ managedVendors: [sealed] })).result;
  const redefined = (vendor: ReturnType<typeof vendorOf>) =>
    planChanges(known, nobody, requestOf({ managedVendors: [vendor] })).changes.managedVendors.redefined;

  it('changes nothing when one is repeated, with its credential or without', () => {
    expect(redefined(sealed)).toEqual([]);
    expect(redefined(vendorOf())).toEqual([]);
    expect(redefined({ ...sealed, retired: false })).toEqual([]);
  });

  it('keeps a credential for the payee and the endpoint it is sealed for, and for no others', () => {
    expect(redefined(vendorOf({ inputPricePerMtok: '1' }))).toMatchObject([{ credential: 'sealed' }]);
    expect(redefined(vendorOf({ retired: true }))).toMatchObject([{ credential: 'sealed', retired: true }]);
    for (const change of [
      { endpoint: 'https://other.example/v1' },
      { payee: `0x${'c'.repeat(40)}` },
      { credential: '' },
    ]) {
      const [vendor] = redefined(vendorOf(change));
      expect(vendor).toBeDefined();
      expect(vendor).not.toHaveProperty('credential');
    }
  });

  it.each([
    ['managedVendors[0].model', { model: 'svc/none@1' }],
    ['managedVendors[0].contextLimit', { contextLimit: 8_193 }],
    ['managedVendors[0].tools', { tools: true }],
    ['managedVendors[0].structuredOutputs', { structuredOutputs: true }],
    ['managedVendors[0].inputPricePerMtok', { inputPricePerMtok: '1000000000001' }],
    ['managedVendors[0].outputPricePerMtok', { inputPricePerMtok: '0', outputPricePerMtok: '0' }],
    ['managedVendors[0].endpoint', { endpoint: 'https://vendor.example:99999/v1' }],
  ])('names %s of one that does not fit', (path, change) => {
    const request = requestOf({ managedVendors: [vendorOf({ mapping: 'other', ...change })] });
    const words = path.endsWith('.endpoint') ? 'The endpoint must' : path;
    expect(refusal(request)).toMatchObject({ param: path, message: sentenceFrom(words) });
  });

  it('takes one away whose model can do less by now, and brings it back only as the model allows', () => {
    const models = [modelOf({ contextLimit: 4_096 })];
    const shrunk = planChanges(known, nobody, requestOf({ models })).result;
    const define = (change: object) =>
      planChanges(shrunk, nobody, requestOf({ managedVendors: [vendorOf(change)] })).changes.managedVendors;
    expect(define({ retired: true }).redefined).toMatchObject([{ retired: true, credential: 'sealed' }]);
    expect(() => define({ inputPricePerMtok: '1' })).toThrow('managedVendors[0].contextLimit');
    expect(define({ contextLimit: 4_096 }).redefined).toHaveLength(1);
  });

  it('leaves a mapping to the model it is one of', () => {
    const request = requestOf({
      models: [modelOf({ id: 'svc/tiny@2' })],
      managedVendors: [vendorOf({ model: 'svc/tiny@2' })],
    });
    expect(() => planChanges(known, nobody, request)).toThrow(
      'managedVendors[0].model of the managed vendor',
    );
  });
});
