import type { ApplyCatalogueRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import type { Catalogue, StandingOffers } from './catalogue';
import { modelOf, requestOf, wholeRequest } from './catalogue.for-spec';
import { planChanges } from './plan-changes';

const empty: Catalogue = { models: new Map(), bundles: new Map(), profiles: new Map() };
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
    expect(refusal(request).param).toBe('bundles[0].model');
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
    expect(message).toContain('for good');
  });

  it('refuses a request that names one thing twice', () => {
    expect(refusal(requestOf({ models: [modelOf(), modelOf()] }))).toMatchObject({
      param: 'models[1]',
      message: 'models[1] names the model "svc/tiny@1" a second time',
    });
  });

  it('leaves the catalogue it was given as it was', () => {
    const before = [...standing.models.entries()];
    planChanges(standing, nobody, requestOf({ models: [modelOf({ id: 'svc/other@1' })] }));
    expect([...standing.models.entries()]).toEqual(before);
  });
});
