import { healthParts, isCertifying, progressWords, reasonWords, stateWords } from './offer-words';

const progress = { certification_id: 'crt_1', kind: 'full', done: 3, total: 16 } as const;

describe('an offer in words', () => {
  it('has a word for each state, and shows a new one as it is', () => {
    expect(stateWords('live')).toEqual({ tone: 'good', label: 'Live' });
    expect(stateWords('dreaming')).toEqual({ tone: 'quiet', label: 'dreaming' });
  });

  it('says what ends a suspension, where there is more to say than the market does', () => {
    expect(reasonWords('no_heartbeat')).toContain('comes back by itself');
    expect(reasonWords('usage_honesty')).toBeUndefined();
  });

  it('says how far a certification is', () => {
    expect(progressWords({ ...progress, status: 'queued' })).toBe('waiting for its turn');
    expect(progressWords({ ...progress, status: 'running' })).toBe('3 of 16 probes');
    expect(isCertifying({ certification: { ...progress, status: 'running' } })).toBe(true);
    expect(isCertifying({ certification: { ...progress, status: 'passed' } })).toBe(false);
    expect(isCertifying({})).toBe(false);
  });

  it('tells of its health what is known', () => {
    expect(healthParts({})).toEqual([]);
    const figures = { error_rate: 0.125, invalid_rate: 0, first_token_ms: 1_400, tokens_per_second: 49.6 };
    expect(healthParts(figures)).toEqual(['1.4 s to first token', '50 tokens/s', '12.5 % errors']);
    expect(healthParts({ error_rate: 0, invalid_rate: 1 })).toEqual(['0 % errors', '100 % invalid']);
  });
});
