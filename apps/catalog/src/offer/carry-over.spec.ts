import { carriesOver, isProbedTheSame } from './carry-over';
import type { CertifiableTerms } from './carry-over';

const now = new Date('2026-11-21T12:00:00Z');
const terms: CertifiableTerms = {
  endpoint: 'https://models.example/v1',
  upstreamModel: 'tiny',
  credential: 'sealed',
  concurrency: 8,
  contextLimit: 8_192,
  firstTokenTimeoutMs: 1_000,
  chunkTimeoutMs: 1_000,
};
const live = { terms, scope: { concurrency: 6 }, certifiedUntil: new Date('2026-11-21T12:00:01Z') };

describe('carriesOver', () => {
  it('holds for the same terms, and for fewer requests at once', () => {
    expect(carriesOver(live, { ...terms }, now)).toBe(true);
    expect(carriesOver(live, { ...terms, concurrency: 1 }, now)).toBe(true);
  });

  it('holds for as many requests at once as were certified, after fewer were signed', () => {
    const lowered = { ...live, terms: { ...terms, concurrency: 2 } };
    expect(carriesOver(lowered, { ...terms, concurrency: 6 }, now)).toBe(true);
    expect(carriesOver(lowered, { ...terms, concurrency: 7 }, now)).toBe(false);
  });

  it.each([
    ['endpoint', { endpoint: 'https://models.example/v2' }],
    ['model', { upstreamModel: 'big' }],
    ['credential', { credential: 'other' }],
    ['absent credential', { credential: null }],
    ['higher concurrency', { concurrency: 9 }],
    ['context', { contextLimit: 4_096 }],
    ['first-token time', { firstTokenTimeoutMs: 2_000 }],
    ['time between chunks', { chunkTimeoutMs: 2_000 }],
  ] satisfies [string, Partial<CertifiableTerms>][])('does not hold for another %s', (_, change) => {
    expect(carriesOver(live, { ...terms, ...change }, now)).toBe(false);
  });

  it('does not hold when nothing is certified, or no longer', () => {
    expect(carriesOver(undefined, terms, now)).toBe(false);
    expect(carriesOver({ ...live, certifiedUntil: now }, terms, now)).toBe(false);
  });
});

describe('isProbedTheSame', () => {
  it('holds for as many requests at once as are probed, and for fewer', () => {
    expect([7, 8, 9].map((concurrency) => isProbedTheSame(terms, { ...terms, concurrency }))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
