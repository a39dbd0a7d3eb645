import { catalogKey } from '@svc/contracts';
import type { ModelView, OfferView } from '@svc/contracts';
import { modelOf } from '../catalogue/catalogue.for-spec';
import { LATER, certifiedOffer, contractOf, scopeOf } from './certified-offer.for-spec';
import { onlyModel } from './managed-vendor.for-spec';
import { Markets } from './markets';
import type { CertifiedOffer } from './markets';
import type { FormerScope } from './publication.store';
import { computeViews, modelsWithoutOffers } from './published-views';

const MODEL = 'svc/tiny@1';
const now = new Date('2026-11-21T12:00:00Z');
const before = new Date('2026-11-21T11:59:59Z');
const after = new Date('2026-11-21T12:00:01Z');
/** Operators allow everything. */
const model = {
  ...modelOf({ capabilities: { ...modelOf().capabilities, tools: true, structuredOutputs: true } }),
  createdAt: new Date('2026-11-21T00:00:00.999Z'),
};
const nothing = new Map<string, FormerScope>();
const suspended = { suspensionReason: 'test' };

function viewsOf(offers: CertifiedOffer[], defined = model, former = nothing) {
  return computeViews(onlyModel(defined), new Markets(offers, [defined], now), former);
}

function modelView(offers: CertifiedOffer[], defined = model, former = nothing): ModelView {
  return JSON.parse(viewsOf(offers, defined, former).models.get(catalogKey(MODEL)) ?? 'null') as ModelView;
}

function offerView(offer: CertifiedOffer, defined = model): OfferView {
  const { offers } = viewsOf([offer], defined);
  return JSON.parse(offers.get(catalogKey(offer.terms.offerId)) ?? 'null') as OfferView;
}

const priced = (offerId: string, inputPricePerMtok: string, outputPricePerMtok: string, facts = {}) =>
  certifiedOffer({ offerId, inputPricePerMtok, outputPricePerMtok }, facts);

describe('what is shown of a model', () => {
  it('has no price, tools or structured outputs while nobody was ever certified for it', () => {
    expect(modelView([])).toEqual({
      ...modelOf(),
      created: 1_795_219_200,
      capabilities: { ...model.capabilities, tools: false, structuredOutputs: false },
    });
  });

  it('has both prices of the one live offer with the lowest blended price', () => {
    const { pricing } = modelView([
      priced('a', '0', '1000000000000'),
      priced('b', '100000', '500000'),
      priced('c', '99999', '500003'),
      priced('d', '200000', '200001'),
      priced('e', '1', '1', suspended),
    ]);
    expect(pricing).toEqual({ inputPricePerMtok: '99999', outputPricePerMtok: '500003' });
  });

  it('compares prices as numbers, not as text', () => {
    expect(modelView([priced('a', '9', '1'), priced('b', '10', '1')]).pricing?.inputPricePerMtok).toBe('9');
    const outputs = [priced('a', '5', '10'), priced('b', '5', '9')];
    expect(modelView(outputs).pricing?.outputPricePerMtok).toBe('9');
  });

  it('has the contract of the one live offer that is certified for most, whoever is cheapest', () => {
    const able = certifiedOffer({
      offerId: 'able',
      certificationId: 'cert_able',
      concurrency: 4,
      inputPricePerMtok: '900000',
      scope: scopeOf({ toolContract: contractOf({ strict_schemas: true }), concurrency: 6 }),
    });
    const view = modelView([
      certifiedOffer({ offerId: 'a', scope: scopeOf({ toolContract: contractOf() }) }),
      able,
      certifiedOffer({
        offerId: 'structured',
        scope: scopeOf({ capabilities: { structuredOutputs: true } }),
      }),
    ]);
    expect(view.toolContract).toEqual({
      ...contractOf({ strict_schemas: true }),
      certification_id: 'cert_able',
      certified_concurrency: 4,
    });
    // What another offer could do does not count: all of the contract can be served by one.
    expect(view.capabilities).toMatchObject({ tools: true, structuredOutputs: false });
    expect(view.pricing?.inputPricePerMtok).toBe('100000');
  });

  it('has the limits of the offer that takes the largest requests, whatever finer features another has', () => {
    const scope = scopeOf({ toolContract: contractOf() });
    const honest = certifiedOffer({ offerId: 'honest', scope });
    const small = (contextLimit: number, maxOutputTokens: number) =>
      certifiedOffer({
        offerId: 'small',
        concurrency: 65,
        contextLimit,
        scope: scopeOf({
          toolContract: contractOf({ parallel_tool_calls: true, strict_schemas: true }),
          concurrency: 65,
          capabilities: { structuredOutputs: true, maxOutputTokens },
        }),
      });
    for (const rogue of [small(256, 256), small(8_192, 256), small(256, 4_096)]) {
      const { contextLimit, capabilities } = modelView([honest, rogue]);
      expect([contextLimit, capabilities.maxOutputTokens]).toEqual([8_192, 4_096]);
    }
    const alone = modelView([small(256, 256)]);
    expect(alone).toMatchObject({ contextLimit: 256, capabilities: { maxOutputTokens: 255 } });
  });

  it('stays within what operators allow', () => {
    const proven = certifiedOffer({
      scope: scopeOf({
        toolContract: contractOf(),
        capabilities: { structuredOutputs: true, reasoning: true, maxOutputTokens: 9_999 },
      }),
    });
    const view = modelView([proven], { ...model, capabilities: modelOf().capabilities });
    expect(view.capabilities).toEqual(modelOf().capabilities);
    expect(view.toolContract).toBeUndefined();
  });

  it('keeps what its ablest offer can do while nobody serves', () => {
    const tools = { scope: scopeOf({ toolContract: contractOf() }) };
    const away = [
      certifiedOffer({ offerId: 'a' }, suspended),
      certifiedOffer({ offerId: 'b', ...tools }, suspended),
    ];
    const view = modelView(away);
    expect(view.capabilities.tools).toBe(true);
    expect(view.pricing).toBeUndefined();
    // As soon as somebody serves, it is what that one can do.
    expect(modelView([...away, certifiedOffer({ offerId: 'c' })]).capabilities.tools).toBe(false);
  });

  it('keeps what an offer was certified for last when none is left', () => {
    const other = { ...model, id: 'svc/other@1' };
    const markets = new Markets([certifiedOffer({ model: other.id })], [model, other], now);
    expect(modelsWithoutOffers([model, other], markets)).toEqual([MODEL]);
    const scope = scopeOf({ toolContract: contractOf() });
    const former = { certificationId: 'cert_9', scope, contextLimit: 4_096 };
    const view = modelView([], model, new Map([[MODEL, former]]));
    expect(view.toolContract?.certification_id).toBe('cert_9');
    expect(view).toMatchObject({ contextLimit: 4_096, capabilities: { maxOutputTokens: 4_095 } });
  });
});

describe('what is shown of an offer', () => {
  it('is all that is needed to plan for it and to call it', () => {
    const view = offerView(certifiedOffer({ version: 3, credential: 'sealed' }));
    expect(view).toEqual({
      offerId: 'ofr_1',
      version: 3,
      model: MODEL,
      provider: `0x${'a'.repeat(40)}`,
      bundleId: 'tiny-q4',
      profileId: 'cpu-8k',
      endpoint: 'https://models.example/v1',
      upstreamModel: 'tiny',
      credential: 'sealed',
      certified: { certificationId: 'cert_1', structuredOutputs: false, maxOutputTokens: 4_096 },
      contextLimit: 8_192,
      inputPricePerMtok: '100000',
      outputPricePerMtok: '400000',
      concurrency: 8,
      firstTokenTimeoutMs: 1_000,
      chunkTimeoutMs: 1_000,
      endsAtMs: LATER.getTime(),
    });
    expect(offerView(certifiedOffer())).not.toHaveProperty('credential');
  });

  it('says when it is over: with what serves, the newest version or the certification, whichever is first', () => {
    const first = new Date(now.getTime() + 5_000);
    const ended = [
      certifiedOffer({ expiresAt: first }),
      certifiedOffer({}, { expiresAt: first }),
      certifiedOffer({}, { certifiedUntil: first }),
    ];
    for (const offer of ended) expect(offerView(offer).endsAtMs).toBe(first.getTime());
    const offer = certifiedOffer();
    offerView(offer);
    // The same terms, and a version was signed since that ends sooner.
    const resigned = { ...offer, facts: { ...offer.facts, expiresAt: first } };
    expect(offerView(resigned).endsAtMs).toBe(first.getTime());
  });

  it('says that its model thinks', () => {
    const scope = scopeOf({ capabilities: { reasoning: true } });
    expect(offerView(certifiedOffer({ scope })).certified.reasoning).toBe(true);
  });

  it('says which tools it was certified for', () => {
    const toolContract = contractOf({ tool_choice: ['auto'], parallel_tool_calls: true });
    expect(offerView(certifiedOffer({ scope: scopeOf({ toolContract }) })).certified.tools).toEqual({
      choices: ['auto'],
      parallelCalls: true,
      strictSchemas: false,
    });
  });

  it('has the lower of certified and signed concurrency, and no more context than the model', () => {
    const scope = scopeOf({ concurrency: 5 });
    expect(offerView(certifiedOffer({ scope, concurrency: 8 })).concurrency).toBe(5);
    expect(offerView(certifiedOffer({ scope, concurrency: 3 })).concurrency).toBe(3);
    const shrunk = offerView(certifiedOffer(), { ...model, contextLimit: 100 });
    expect(shrunk).toMatchObject({ contextLimit: 100, certified: { maxOutputTokens: 99 } });
  });

  it.each([
    ['its newest version ended', {}, { expiresAt: now }],
    ['the version that serves ended', { expiresAt: before }, {}],
    ['its certification ended', {}, { certifiedUntil: now }],
    ['it is suspended', {}, suspended],
    ['its provider is suspended', {}, { providerSuspensionReason: 'test' }],
    ['watching found something', {}, { watchCode: 'drift', watchReason: 'x' }],
  ])('is nothing once %s', (_, terms, facts) => {
    expect([...viewsOf([certifiedOffer(terms, facts)]).offers]).toEqual([]);
  });

  it('is nothing while it asks more than operators have come to allow', () => {
    const capped = { ...model, maxOutputPricePerMtok: '399999' };
    expect([...viewsOf([certifiedOffer()], capped).offers]).toEqual([]);
    expect(modelView([certifiedOffer()], capped).pricing).toBeUndefined();
    const enough = { ...model, maxInputPricePerMtok: '100000', maxOutputPricePerMtok: '400000' };
    expect(viewsOf([certifiedOffer()], enough).offers.size).toBe(1);
  });

  it('is the same again for the same offer, byte for byte', () => {
    expect(viewsOf([certifiedOffer()])).toEqual(viewsOf([certifiedOffer()]));
  });
});

describe('the next moment', () => {
  it('is the first at which any offer ends', () => {
    const moment = (...offers: CertifiedOffer[]) => new Markets(offers, [model], now).nextMoment;
    expect(moment()).toBeUndefined();
    expect(moment(certifiedOffer({}, suspended), certifiedOffer({}, { certifiedUntil: after }))).toEqual(
      after,
    );
    expect(moment(certifiedOffer({ expiresAt: after }))).toEqual(after);
  });
});
