import type { SubmitOfferRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { checkOffer } from './check-offer';
import type { OfferContext } from './check-offer';
import { ownBundle, ownProfile, submissionOf } from './signed-offer.for-spec';
import { MAX_OFFER_SECONDS } from './supply-limits';

const now = new Date('2026-11-21T12:00:00Z');
const nowSeconds = now.getTime() / 1_000;
const context: OfferContext = {
  provider: { nonce: 4n, suspensionReason: null },
  model: { contextLimit: 8_192, workload: 'chat' },
  bundle: { ...ownBundle, model: 'svc/tiny@1' },
  profile: { ...ownProfile, contextLimit: 8_192 },
};
const capped = { contextLimit: 8_192, workload: 'chat' };
const good = { nonce: 5, expiresAt: nowSeconds + 60 };

function refusal(terms: Partial<SubmitOfferRequest>, stored: Partial<OfferContext> = {}) {
  try {
    checkOffer({ ...context, ...stored }, submissionOf({ ...good, ...terms }), now);
  } catch (error) {
    if (SvcError.is(error)) return { ...error.payload, status: error.status };
    throw error;
  }
  throw new Error('was not refused');
}

describe('checkOffer', () => {
  it('takes what fits', () => {
    expect(() => checkOffer(context, submissionOf(good), now)).not.toThrow();
    const edge = {
      ...good,
      expiresAt: nowSeconds + MAX_OFFER_SECONDS,
      inputPricePerMtok: '0',
      outputPricePerMtok: '1000000000000',
    };
    expect(() => checkOffer(context, submissionOf(edge), now)).not.toThrow();
  });

  it.each([
    ['provider', 404, {}, { provider: undefined }],
    ['provider', 403, {}, { provider: { nonce: 0n, suspensionReason: 'fraud' } }],
    ['nonce', 409, { nonce: 4 }, {}],
    ['nonce', 409, { nonce: 3 }, {}],
    ['expiresAt', 400, { expiresAt: nowSeconds }, {}],
    ['expiresAt', 400, { expiresAt: nowSeconds + MAX_OFFER_SECONDS + 1 }, {}],
    ['inputPricePerMtok', 400, { inputPricePerMtok: '1000000000001' }, {}],
    ['outputPricePerMtok', 400, { outputPricePerMtok: '1000000000001' }, {}],
    ['outputPricePerMtok', 400, { inputPricePerMtok: '0', outputPricePerMtok: '0' }, {}],
    [
      'inputPricePerMtok',
      400,
      { inputPricePerMtok: '11' },
      { model: { ...capped, maxInputPricePerMtok: '10' } },
    ],
    [
      'outputPricePerMtok',
      400,
      { outputPricePerMtok: '11' },
      { model: { ...capped, maxOutputPricePerMtok: '10' } },
    ],
    ['model', 404, {}, { model: undefined }],
    ['model', 400, {}, { model: { contextLimit: 8_192, workload: 'embedding' } }],
    ['bundle', 400, {}, { bundle: undefined }],
    ['bundle', 400, {}, { bundle: { ...ownBundle, model: 'svc/other@1' } }],
    ['bundleDefinition', 400, { bundleDefinition: { ...ownBundle, id: 'tiny-q4', engine: 'other' } }, {}],
    ['profileDefinition', 400, { profileDefinition: { ...ownProfile, id: 'cpu-8k', contextLimit: 1 } }, {}],
    ['bundleDefinition.id', 400, { bundleDefinition: ownBundle }, {}],
    ['profile', 400, {}, { profile: undefined }],
    ['profileDefinition.id', 400, { profileDefinition: ownProfile }, {}],
    ['contextLimit', 400, {}, { profile: { ...ownProfile, contextLimit: 8_191 } }],
    ['contextLimit', 400, {}, { model: { contextLimit: 8_191, workload: 'chat' } }],
    ['endpoint', 400, { endpoint: 'https://name:word@models.example/v1' }, {}],
  ] satisfies [string, number, Partial<SubmitOfferRequest>, Partial<OfferContext>][])(
    'refuses by %s with %i: %j',
    (param, status, terms, stored) => {
      const refused = refusal(terms, stored);
      expect(refused).toMatchObject({ code: 'invalid_request', param, status });
      // Whoever asks over HTTP knows no field by the name that it has here.
      expect(refused.message).not.toMatch(/[a-z][A-Z]/);
      expect(refused.message).toMatch(/^[A-Z].+[^.]\.$/);
    },
  );

  it('says the most that operators let offers of the model ask, and takes that', () => {
    const model = { ...capped, maxInputPricePerMtok: '10', maxOutputPricePerMtok: '20' };
    const { message } = refusal({ inputPricePerMtok: '10', outputPricePerMtok: '21' }, { model });
    expect(message).toBe(
      'The output price is 21; offers of the model may ask at most 20 (base units per million tokens).',
    );
    const edge = submissionOf({ ...good, inputPricePerMtok: '10', outputPricePerMtok: '20' });
    expect(() => checkOffer({ ...context, model }, edge, now)).not.toThrow();
  });

  it('says the last nonce', () => {
    expect(refusal({ nonce: 4 }).message).toContain('not above 4');
  });

  it('takes a bundle and a profile that the request defines by their content', () => {
    const own = {
      ...good,
      bundle: ownBundle.id,
      profile: ownProfile.id,
      bundleDefinition: ownBundle,
      profileDefinition: ownProfile,
      contextLimit: 4_096,
    };
    const unknown = { ...context, bundle: undefined, profile: undefined };
    expect(() => checkOffer(unknown, submissionOf(own), now)).not.toThrow();
    const other = { ...own, bundleDefinition: { ...ownBundle, engine: 'other' } };
    expect(refusal(other, unknown).param).toBe('bundleDefinition.id');
    const profile = { ...own, profileDefinition: { ...ownProfile, contextLimit: 8_192 } };
    expect(refusal(profile, unknown).param).toBe('profileDefinition.id');
    expect(refusal({ ...own, contextLimit: 4_097 }, unknown).param).toBe('contextLimit');
  });

  it('takes a bundle and a profile that are defined already as the request defines them again', () => {
    const own = { bundle: ownBundle.id, profile: ownProfile.id, contextLimit: 4_096 };
    const again = { ...own, bundleDefinition: ownBundle, profileDefinition: ownProfile };
    const known = { ...context, bundle: ownBundle, profile: ownProfile };
    expect(() => checkOffer(known, submissionOf({ ...good, ...again }), now)).not.toThrow();
  });

  it('says that what is not defined has to come with the offer.', () => {
    expect(refusal({}, { bundle: undefined }).message).toBe(
      'The bundle "tiny-q4" is not defined here; its definition has to come with the offer.',
    );
    expect(refusal({}, { profile: undefined }).message).toBe(
      'The profile "cpu-8k" is not defined here; its definition has to come with the offer.',
    );
  });

  it('refuses a bundle that is defined for another model', () => {
    const bundleDefinition = { ...ownBundle, model: 'svc/other@1' };
    const { param } = refusal({ bundle: ownBundle.id, bundleDefinition }, { bundle: undefined });
    expect(param).toBe('bundleDefinition.id');
  });
});
