import { saying } from './testing/provider.for-spec';
import { Surroundings } from './testing/surroundings.for-spec';
import type { TestRun } from './testing/test-gateway.for-spec';

/** JSON text that takes the pattern below for ever. */
const ENDLESS = JSON.stringify(`${'a'.repeat(40)}!`);
const patterned = asking({ type: 'string', pattern: '^(a+)+$' });

function asking(schema: object): object {
  return {
    messages: [{ role: 'user', content: 'Say something' }],
    response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
  };
}

describe('a schema whose checking costs too much', () => {
  let around: Surroundings;
  beforeAll(async () => {
    around = await Surroundings.start();
  });
  afterAll(() => around.stop());

  const settlementsOf = ({ request }: TestRun) => around.billing.of(request.requestId);

  it.each([true, false])(
    'is refused before anybody is asked where it cannot be compiled (stream: %s)',
    async (stream) => {
      const offer = await around.offerFrom(saying('{}'));
      const parts = Object.fromEntries(
        Array.from({ length: 1_500 }, (_, index) => [`p${index}`, { type: ['string', 'null'] }]),
      );
      const body = asking({ properties: parts, patternProperties: parts });
      const run = around.start([offer], { stream, body });
      expect(await run.failed()).toMatchObject({
        code: 'invalid_request',
        param: 'response_format.json_schema.schema',
      });
      expect(offer.provider.requests).toEqual([]);
      expect(settlementsOf(run)).toMatchObject([
        { outcome: 'void', failure: { code: 'invalid_request', attempts: 0 } },
      ]);
    },
  );

  it.each([true, false])(
    'ends the way along the plan once the replies of two took too long (stream: %s)',
    async (stream) => {
      const offers = await Promise.all(
        [ENDLESS, ENDLESS, '"aaa"'].map((text) => around.offerFrom(saying(text))),
      );
      await around.dispatch.awaitOffers(...offers.map(({ id }) => id));
      const run = around.start(offers, { stream, body: patterned });
      expect(await run.failed()).toMatchObject({
        code: 'invalid_request',
        param: 'response_format.json_schema.schema',
      });
      expect(offers.map(({ provider }) => provider.requests.length)).toEqual([1, 1, 0]);
      expect(settlementsOf(run)).toMatchObject([{ outcome: 'void', failure: { attempts: 2 } }]);
      const outcomes = settlementsOf(run)[0]?.failure?.route?.map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['schema_too_expensive', 'schema_too_expensive', 'not_tried']);
    },
  );

  it.each([true, false])('may be one provider’s doing: the next is served (stream: %s)', async (stream) => {
    const hostile = await around.offerFrom(saying(ENDLESS));
    const honest = await around.offerFrom(saying('"aaa"'));
    await around.dispatch.awaitOffers(hostile.id, honest.id);
    const run = around.start([hostile, honest], { stream, body: patterned });
    expect((await run.ended()).type).toBe('end');
    expect(run.words).toBe('"aaa"');
    expect(around.outcomesOf(run)).toEqual(['schema_too_expensive', 'served']);
    // Alone it can be either’s: it is worth another try.
    const alone = around.start([hostile], { stream, body: patterned });
    expect(await alone.failed()).toMatchObject({ code: 'provider_output_invalid', retryAfterSeconds: 1 });
    expect(settlementsOf(alone)).toMatchObject([{ outcome: 'void' }]);
  });
});
