import { modelOf } from '../catalogue/catalogue.for-spec';
import { certifiedOffer, contractOf, scopeOf } from './certified-offer.for-spec';
import { isAbler } from './offer-order';

const tools = (changes: Parameters<typeof contractOf>[0] = {}, rest: Parameters<typeof scopeOf>[0] = {}) =>
  scopeOf({ toolContract: contractOf(changes), ...rest });

const model = modelOf({ capabilities: { ...modelOf().capabilities, maxOutputTokens: 16_384 } });

/** From the least to the most. */
const ladder = [
  { offerId: 'b' },
  { offerId: 'a' },
  { offerId: 'c', scope: scopeOf({ concurrency: 16 }), concurrency: 9 },
  { offerId: 'd', scope: scopeOf({ capabilities: { structuredOutputs: true } }) },
  { offerId: 'l', scope: scopeOf({ capabilities: { maxOutputTokens: 8_000 } }) },
  { offerId: 'm', scope: tools(), contextLimit: 8_191 },
  { offerId: 'e', scope: tools({ tool_choice: ['auto'], parallel_tool_calls: true, strict_schemas: true }) },
  { offerId: 'f', scope: tools() },
  { offerId: 'g', scope: tools({ max_argument_bytes: 2_048 }) },
  { offerId: 'h', scope: tools({}, { capabilities: { structuredOutputs: true } }) },
  { offerId: 'i', scope: tools({ strict_schemas: true }) },
  { offerId: 'j', scope: tools({ parallel_tool_calls: true }) },
  {
    offerId: 'k',
    scope: tools({ tool_choice: ['none', 'auto'] }, { capabilities: { maxOutputTokens: 4_097 } }),
  },
].map((terms) => certifiedOffer(terms).terms);

describe('isAbler', () => {
  it('orders all offers, none beside another', () => {
    for (const [index, offer] of ladder.entries()) {
      for (const [other, than] of ladder.entries()) {
        expect([offer.offerId, than.offerId, isAbler(offer, than, model)]).toEqual([
          offer.offerId,
          than.offerId,
          index > other,
        ]);
      }
    }
  });
});
