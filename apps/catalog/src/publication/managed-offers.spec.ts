import { catalogKey } from '@svc/contracts';
import type { ModelView } from '@svc/contracts';
import { modelOf } from '../catalogue/catalogue.for-spec';
import { certifiedOffer, contractOf, scopeOf } from './certified-offer.for-spec';
import { definedVendor, onlyModel } from './managed-vendor.for-spec';
import { Markets } from './markets';
import type { CertifiedOffer } from './markets';
import { computeViews } from './published-views';
import type { DefinedVendor } from './publication.store';
import type { Definitions } from './published-views';

const MODEL = 'svc/tiny@1';
const now = new Date('2026-11-21T12:00:00Z');
const model = {
  ...modelOf({ capabilities: { ...modelOf().capabilities, tools: true, structuredOutputs: true } }),
  createdAt: new Date('2026-11-21T00:00:00.999Z'),
};

function viewsOf(beside: Partial<Definitions>, offers: CertifiedOffer[] = []) {
  const definitions = onlyModel(model, beside);
  return computeViews(definitions, new Markets(offers, definitions.models, now), new Map());
}

const parsed = (json: string | undefined) => JSON.parse(json ?? 'null') as unknown;

function modelView(beside: Partial<Definitions>, offers?: CertifiedOffer[]): ModelView {
  return parsed(viewsOf(beside, offers).models.get(catalogKey(MODEL))) as ModelView;
}

describe('a managed vendor among the offers', () => {
  const offerOf = (changes: Parameters<typeof definedVendor>[0], defined = model) => {
    const beside = { models: [defined], managedVendors: [definedVendor(changes)] };
    return parsed(viewsOf(beside).offers.get(catalogKey('managed-vendor-tiny')));
  };

  it('is what its definition says, told by its mapping', () => {
    expect(offerOf({ version: 3, credential: 'sealed' })).toEqual({
      offerId: 'managed-vendor-tiny',
      mapping: 'vendor-tiny',
      version: 3,
      model: MODEL,
      provider: `0x${'b'.repeat(40)}`,
      bundleId: 'managed',
      profileId: 'vendor-tiny',
      endpoint: 'https://vendor.example/v1',
      upstreamModel: 'vendor/tiny',
      credential: 'sealed',
      certified: { certificationId: 'managed', structuredOutputs: false, maxOutputTokens: 4_096 },
      contextLimit: 8_192,
      inputPricePerMtok: '900000',
      outputPricePerMtok: '3600000',
      concurrency: 16,
      firstTokenTimeoutMs: 5_000,
      chunkTimeoutMs: 5_000,
    });
    expect(offerOf({})).not.toHaveProperty('credential');
  });

  it('may be asked for tools as its operator says', () => {
    const tools = { choices: ['auto', 'none', 'required', 'function'], parallelCalls: true };
    expect(offerOf({ tools: true })).toMatchObject({
      certified: { tools: { ...tools, strictSchemas: false } },
    });
    expect(offerOf({ tools: true, structuredOutputs: true })).toMatchObject({
      certified: { structuredOutputs: true, tools: { ...tools, strictSchemas: true } },
    });
  });

  it('says by which name it takes thoughts back, if by any', () => {
    expect(offerOf({ reasoningField: 'reasoning' })).toMatchObject({
      certified: { reasoningField: 'reasoning' },
    });
    expect(offerOf({})).not.toHaveProperty('certified.reasoningField');
  });

  it('says by which name it takes the limit of its output where that is not the usual one', () => {
    expect(offerOf({ outputLimitField: 'max_completion_tokens' })).toMatchObject({
      outputLimitField: 'max_completion_tokens',
    });
  });

  it('thinks where its model does', () => {
    const thinking = { ...model, capabilities: { ...model.capabilities, reasoning: true } };
    expect(offerOf({}, thinking)).toMatchObject({ certified: { reasoning: true } });
  });

  it('has no more context than its model, and leaves room for a prompt', () => {
    expect(offerOf({}, { ...model, contextLimit: 100 })).toMatchObject({
      contextLimit: 100,
      certified: { maxOutputTokens: 99 },
    });
  });

  it('is left out while its model is not read yet', () => {
    const unread = definedVendor({ model: 'svc/other@1' });
    expect([...viewsOf({ managedVendors: [unread] }).offers]).toEqual([]);
  });
});

describe('what managed vendors make of a model', () => {
  const priced = (mapping: string, inputPricePerMtok: string, outputPricePerMtok: string) =>
    definedVendor({ mapping, inputPricePerMtok, outputPricePerMtok });

  it('is the most that any of them asks, beside the price of the offers', () => {
    const managedVendors = [priced('a', '10', '1'), priced('b', '9', '2'), priced('c', '9', '3')];
    const view = modelView({ managedVendors }, [certifiedOffer()]);
    expect(view.managedPricing).toEqual({ inputPricePerMtok: '10', outputPricePerMtok: '3' });
    expect(view.pricing).toEqual({ inputPricePerMtok: '100000', outputPricePerMtok: '400000' });
    expect(modelView({}, [certifiedOffer()])).not.toHaveProperty('managedPricing');
  });

  it('is calls in parallel, where they answer by its name and what is shown has none', () => {
    const managedVendors = [definedVendor({ tools: true })];
    const serial = certifiedOffer({
      scope: scopeOf({ toolContract: contractOf({ parallel_tool_calls: false }) }),
    });
    const parallel = certifiedOffer({
      scope: scopeOf({ toolContract: contractOf({ parallel_tool_calls: true }) }),
    });
    const shown = (offers: CertifiedOffer[], beside: Partial<Definitions> = {}) =>
      modelView({ managedVendors, managedAnswerNamed: true, ...beside }, offers).parallelCalls;
    expect(shown([])).toBe(true);
    expect(shown([serial])).toBe(true);
    expect(shown([serial], { managedAnswerNamed: false })).toBeUndefined();
    expect(shown([serial], { managedVendors: [definedVendor()] })).toBeUndefined();
    // The contract says it.
    expect(shown([parallel])).toBeUndefined();
    // The largest is shown; a smaller one has it.
    const { terms, facts } = parallel;
    const small = { facts, terms: { ...terms, offerId: 'ofr_2', contextLimit: 4_096 } };
    expect(shown([serial, small], { managedVendors: [] })).toBe(true);
  });

  it('is what they can do beside calls in parallel', () => {
    const serial = certifiedOffer({
      scope: scopeOf({ toolContract: contractOf({ strict_schemas: true }) }),
    });
    const parallel = certifiedOffer({
      offerId: 'ofr_2',
      contextLimit: 4_096,
      scope: scopeOf({
        toolContract: contractOf({ parallel_tool_calls: true }),
        capabilities: { structuredOutputs: true },
      }),
    });
    const shown = (managedVendors: DefinedVendor[]) =>
      modelView({ managedVendors, managedAnswerNamed: true }, [serial, parallel]).parallelBeside;
    expect(shown([])).toEqual({ strictSchemas: false, structuredOutputs: true });
    const vendor = definedVendor({ tools: true, structuredOutputs: true });
    expect(shown([vendor])).toEqual({ strictSchemas: true, structuredOutputs: true });
  });

  it('is what they can do only where they answer by its name, and nobody was ever certified', () => {
    const managedVendors = [
      definedVendor({ mapping: 'a' }),
      definedVendor({ tools: true, contextLimit: 100 }),
    ];
    const able = { contextLimit: 100, capabilities: { tools: true, maxOutputTokens: 99 } };
    expect(modelView({ managedVendors, managedAnswerNamed: true })).toMatchObject(able);
    expect(modelView({ managedVendors })).toMatchObject({
      contextLimit: 8_192,
      capabilities: { tools: false },
    });
    const certified = modelView({ managedVendors, managedAnswerNamed: true }, [certifiedOffer()]);
    expect(certified).toMatchObject({ contextLimit: 8_192, capabilities: { tools: false } });
  });
});

it('a routing model stands among the models as it is defined', () => {
  const routing = {
    id: 'svc/cortex@1',
    ownedBy: 'svc',
    candidates: [MODEL],
    maxInputPricePerMtok: '1',
    maxOutputPricePerMtok: '2',
  };
  const views = viewsOf({ routingModels: [{ ...routing, createdAt: model.createdAt }] });
  expect(parsed(views.models.get(catalogKey('svc/cortex@1')))).toEqual({
    ...routing,
    created: 1_795_219_200,
  });
  expect(views.models.size).toBe(2);
});
