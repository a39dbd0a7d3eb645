import { probeWords } from './probe-words';

describe('a probe in words', () => {
  it('says what is tried and what helps', () => {
    expect(probeWords('usage_honesty').title).toBe('Counts tokens honestly');
    expect(probeWords('tool_required').advice).toContain('required');
  });

  it('is its name when this page does not know it', () => {
    expect(probeWords('some_new_probe')).toMatchObject({ title: 'some new probe' });
  });
});
