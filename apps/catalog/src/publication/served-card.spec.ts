import fc from 'fast-check';
import { catalogKey } from '@svc/contracts';
import type { ModelView, OfferView } from '@svc/contracts';
import { modelOf } from '../catalogue/catalogue.for-spec';
import { certifiedOffer, contractOf, scopeOf } from './certified-offer.for-spec';
import { Markets } from './markets';
import { onlyModel } from './managed-vendor.for-spec';
import { computeViews } from './published-views';

const now = new Date('2026-11-21T12:00:00Z');
const id = modelOf().id;
const anyTokens = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 200_000 }));

const anyModel = fc
  .record({
    contextLimit: anyTokens,
    maxOutputTokens: anyTokens,
    tools: fc.boolean(),
    structured: fc.boolean(),
  })
  .map(({ contextLimit, maxOutputTokens, tools, structured: structuredOutputs }) => ({
    ...modelOf({ contextLimit }),
    capabilities: { ...modelOf().capabilities, maxOutputTokens, tools, structuredOutputs },
    createdAt: now,
  }));

const anyContract = fc
  .record({
    tool_choice: fc.subarray(['auto', 'none', 'required', 'function'], { minLength: 1 }),
    parallel_tool_calls: fc.boolean(),
    strict_schemas: fc.boolean(),
    max_argument_bytes: fc.nat(4_096),
  })
  .map(contractOf);

/** Certified under whatever definition stood then. */
const anyOffer = fc
  .record({
    contextLimit: anyTokens,
    maxOutputTokens: anyTokens,
    toolContract: fc.option(anyContract),
    structuredOutputs: fc.boolean(),
    price: fc.nat(1_000_000),
    live: fc.boolean(),
  })
  .map(({ contextLimit, maxOutputTokens, toolContract, structuredOutputs, price, live }) => ({
    terms: {
      contextLimit,
      outputPricePerMtok: price.toString(),
      scope: scopeOf({ toolContract, capabilities: { structuredOutputs, maxOutputTokens } }),
    },
    facts: live ? {} : { suspensionReason: 'test' },
  }));

/** What any request within the card may ask for at once. */
function takesAllOf(card: ModelView, { contextLimit, certified }: OfferView): boolean {
  const { capabilities, toolContract } = card;
  return (
    contextLimit >= card.contextLimit &&
    certified.maxOutputTokens >= capabilities.maxOutputTokens &&
    certified.structuredOutputs >= capabilities.structuredOutputs &&
    (!capabilities.tools ||
      (certified.tools !== undefined &&
        toolContract !== undefined &&
        toolContract.tool_choice.every((choice) => certified.tools?.choices.includes(choice)) &&
        certified.tools.parallelCalls >= toolContract.parallel_tool_calls &&
        certified.tools.strictSchemas >= toolContract.strict_schemas))
  );
}

describe('a model’s card and its offers', () => {
  it('promise nothing that not one live offer takes whole, and leave room for a prompt', () => {
    fc.assert(
      fc.property(anyModel, fc.array(anyOffer, { maxLength: 12 }), (model, described) => {
        const offers = described.map(({ terms, facts }, index) =>
          certifiedOffer({ ...terms, offerId: `ofr_${index}` }, facts),
        );
        const views = computeViews(onlyModel(model), new Markets(offers, [model], now), new Map());
        const card = JSON.parse(views.models.get(catalogKey(id)) ?? 'null') as ModelView;
        const live = [...views.offers.values()].map((json) => JSON.parse(json) as OfferView);
        expect(live).toHaveLength(described.filter(({ facts }) => !('suspensionReason' in facts)).length);
        expect(card.contextLimit).toBeLessThanOrEqual(model.contextLimit);
        if (live.length > 0) expect(live.some((offer) => takesAllOf(card, offer))).toBe(true);
        if (described.length > 0 && card.contextLimit > 1) {
          expect(card.capabilities.maxOutputTokens).toBeLessThan(card.contextLimit);
        }
        for (const { contextLimit, certified } of live) {
          if (contextLimit > 1) expect(certified.maxOutputTokens).toBeLessThan(contextLimit);
        }
      }),
    );
  });
});
