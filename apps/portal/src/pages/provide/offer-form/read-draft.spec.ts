import { bundleIdOf, profileIdOf } from '@svc/supply-messages';
import { draftOf, emptyDraft } from './offer-draft';
import type { OfferDraft, OfferValues, SignedTerms } from './offer-draft';
import { baseToUsdc } from './price-text';
import { readDraft } from './read-draft';
import { repriced } from './repriced';

const NOW = 1_800_000_000;
const limits = { max_offer_seconds: 365 * 86_400, max_credential_length: 1_024 };
const filled: Partial<OfferValues> = {
  ...{ model: 'svc/demo@1', bundle: 'bnd_1', profile: 'prf_1', upstream_model: ' demo-8b ' },
  ...{ endpoint: 'http://127.0.0.1:8000/v1', input_price_per_mtok: '0.1', output_price_per_mtok: '1,000.25' },
  ...{ concurrency: '8', context_limit: '4096', expires_at: '30' },
};

function draftWith(values: Partial<OfferValues> = {}, changes: Partial<OfferDraft> = {}): OfferDraft {
  return { ...emptyDraft, ...changes, values: { ...emptyDraft.values, ...filled, ...values } };
}
const read = (draft: OfferDraft) => readDraft(draft, limits, NOW);

function errorsOf(draft: OfferDraft): string[] {
  const reading = read(draft);
  return reading.ok ? [] : Object.keys(reading.errors);
}

describe('the form of an offer', () => {
  it('becomes what is signed: prices in base units, moments in seconds', () => {
    expect(read(draftWith())).toEqual({
      ok: true,
      offer: {
        terms: {
          ...{ model: 'svc/demo@1', bundle: 'bnd_1', profile: 'prf_1', upstreamModel: 'demo-8b' },
          ...{
            endpoint: 'http://127.0.0.1:8000/v1',
            inputPricePerMtok: '100000',
            outputPricePerMtok: '1000250000',
          },
          ...{ concurrency: 8, contextLimit: 4_096, firstTokenTimeoutMs: 10_000, chunkTimeoutMs: 10_000 },
          expiresAt: NOW + 30 * 86_400,
        },
      },
    });
  });

  it('defines a build and a profile under the ids that follow from their content', () => {
    const build = { weightsDigest: 'sha256:1', quantisation: 'q8', engine: 'vllm 0.11' };
    const way = { hardwareClass: '1x-l40s', contextLimit: 8_192, speedTier: 'standard' };
    const reading = read(
      draftWith(
        {
          'bundle_definition.weights_digest': 'sha256:1',
          'bundle_definition.quantisation': 'q8',
          'bundle_definition.engine': 'vllm 0.11',
          'profile_definition.hardware_class': '1x-l40s',
          'profile_definition.context_limit': '8192',
        },
        { definesBundle: true, definesProfile: true },
      ),
    );
    expect(reading).toMatchObject({
      offer: {
        terms: { bundle: bundleIdOf({ model: 'svc/demo@1', ...build }), profile: profileIdOf(way) },
        bundle_definition: { weights_digest: 'sha256:1', quantisation: 'q8', engine: 'vllm 0.11' },
        profile_definition: { hardware_class: '1x-l40s', context_limit: 8_192, speed_tier: 'standard' },
      },
    });
  });

  it('takes what it defines whole, or says by how much it is too long', () => {
    const draft = draftWith(
      {
        'bundle_definition.weights_digest': 'w'.repeat(121),
        'bundle_definition.quantisation': 'q'.repeat(41),
        'bundle_definition.engine': '🚂'.repeat(80),
        'profile_definition.hardware_class': 'h'.repeat(81),
        'profile_definition.context_limit': '8192',
        'profile_definition.speed_tier': 's'.repeat(41),
      },
      { definesBundle: true, definesProfile: true },
    );
    expect(read(draft)).toEqual({
      ok: false,
      errors: {
        'bundle_definition.weights_digest': 'At most 120 characters; these are 121.',
        'bundle_definition.quantisation': 'At most 40 characters; these are 41.',
        'profile_definition.hardware_class': 'At most 80 characters; these are 81.',
        'profile_definition.speed_tier': 'At most 40 characters; these are 41.',
      },
    });
  });

  it('says of an empty form what is missing, by field', () => {
    expect(errorsOf(emptyDraft)).toEqual([
      ...['model', 'bundle', 'profile', 'endpoint', 'upstream_model', 'input_price_per_mtok'],
      ...['output_price_per_mtok', 'context_limit'],
    ]);
  });

  it.each<[keyof OfferValues, string]>([
    ['input_price_per_mtok', '0.0000001'],
    ['input_price_per_mtok', '-1'],
    ['input_price_per_mtok', '1e3'],
    ['concurrency', '0'],
    ['concurrency', '513'],
    ['concurrency', '1.5'],
    ['context_limit', '4k'],
    ['first_token_timeout_ms', '499'],
    ['chunk_timeout_ms', '120001'],
    ['endpoint', 'llm.example.com/v1'],
    ['endpoint', 'ftp://llm.example.com'],
    ['endpoint', 'https://'],
    ['credential', 'short'],
    ['credential', 'with a blank in it'],
    ['expires_at', '366'],
    ['upstream_model', 'm'.repeat(201)],
    ['endpoint', `https://llm.example.com/${'v'.repeat(300)}`],
  ])('refuses a %s of "%s"', (field, value) => {
    expect(errorsOf(draftWith({ [field]: value }))).toEqual([field]);
  });

  it('asks something for input or for output', () => {
    expect(errorsOf(draftWith({ input_price_per_mtok: '0', output_price_per_mtok: '0' }))).toEqual([
      'output_price_per_mtok',
    ]);
    expect(errorsOf(draftWith({ input_price_per_mtok: '0' }))).toEqual([]);
  });

  it('keeps the token of before, replaces it, or takes it away', () => {
    const credentialOf = (draft: OfferDraft) => {
      const reading = read(draft);
      return reading.ok ? reading.offer.credential : reading;
    };
    expect(credentialOf(draftWith())).toBeUndefined();
    expect(credentialOf(draftWith({ credential: 'sk-of-the-endpoint' }))).toBe('sk-of-the-endpoint');
    expect(credentialOf(draftWith({ credential: 'sk-of-the-endpoint' }, { dropsCredential: true }))).toBe('');
  });

  it('stays a minute short of the longest that the market takes', () => {
    const reading = read(draftWith({ expires_at: '365' }));
    expect(reading).toMatchObject({ offer: { terms: { expiresAt: NOW + 365 * 86_400 - 60 } } });
  });
});

const signed: SignedTerms = {
  ...{ offer_id: 'ofr_1', version: 2, model: 'svc/demo@1', bundle: 'bnd_1', profile: 'prf_1' },
  ...{ endpoint: 'https://llm.example.com/v1', has_credential: true, upstream_model: 'demo-8b' },
  ...{
    input_price_per_mtok: '100000',
    output_price_per_mtok: '2000000',
    concurrency: 8,
    context_limit: 4_096,
  },
  ...{ first_token_timeout_ms: 9_000, chunk_timeout_ms: 5_000, expires_at: NOW + 7 },
};

describe('another version', () => {
  it('begins with what was signed last', () => {
    expect(read(draftOf(signed))).toMatchObject({
      offer: {
        terms: {
          ...{ model: 'svc/demo@1', bundle: 'bnd_1', profile: 'prf_1', endpoint: signed.endpoint },
          ...{ inputPricePerMtok: '100000', outputPricePerMtok: '2000000', firstTokenTimeoutMs: 9_000 },
        },
      },
    });
  });

  it('with another price changes nothing else, so that the certification stays', () => {
    const before = repriced(signed, { input: 100_000n, output: 2_000_000n });
    const after = repriced(signed, { input: 1n, output: 2n });
    expect(after).toEqual({
      terms: { ...before.terms, inputPricePerMtok: '1', outputPricePerMtok: '2' },
    });
    expect(after.terms.expiresAt).toBe(NOW + 7);
    expect(after).not.toHaveProperty('credential');
  });
});

describe('a price in a field', () => {
  it.each([
    ['100000', '0.1'],
    ['1', '0.000001'],
    ['1000000', '1'],
    ['10000000', '10'],
    ['0', '0'],
  ])('of %s base units is %s', (base, text) => {
    expect(baseToUsdc(base)).toBe(text);
  });
});
