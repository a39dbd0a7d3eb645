import { usageBuckets } from './usage-buckets';

const NOW = Date.parse('2026-11-21T15:04:05Z');
const refusal = (range: { from?: string; to?: string }) => {
  try {
    usageBuckets(range, NOW);
  } catch (error) {
    return (error as { payload: { param: string } }).payload.param;
  }
  return undefined;
};

describe('the buckets of a chart', () => {
  it('are days of the last thirty unless told otherwise, the hour that runs among them', () => {
    const { from, to, unit, times } = usageBuckets({}, NOW);
    expect([from, to, unit]).toEqual(['2026-10-22T16:00:00Z', '2026-11-21T16:00:00Z', 'day']);
    expect(times).toHaveLength(31);
    expect([times[0], times.at(-1)]).toEqual(['2026-10-22T00:00:00Z', '2026-11-21T00:00:00Z']);
  });

  it.each([
    ['2026-11-18T00:00:00Z', '2026-11-21T00:00:00Z', 'hour', 72],
    ['2026-11-18T00:00:00Z', '2026-11-21T00:00:01Z', 'day', 4],
    ['2026-08-13T00:00:00Z', '2026-11-21T00:00:00Z', 'day', 100],
    ['2026-08-12T23:59:59Z', '2026-11-21T00:00:00Z', 'month', 4],
    ['2025-12-31T23:00:00Z', '2027-01-01T00:00:00Z', 'month', 13],
    ['2016-11-21T00:00:00Z', '2026-11-21T00:00:00Z', 'month', 121],
  ])('from %s to %s are %ss: %i of them', (from, to, unit, count) => {
    const buckets = usageBuckets({ from, to }, NOW);
    expect([buckets.unit, buckets.times.length]).toEqual([unit, count]);
    expect(new Set(buckets.times).size).toBe(count);
  });

  it('take what is asked for to the whole hours around it', () => {
    const { from, to, times } = usageBuckets(
      { from: '2026-11-21T05:59:59.9Z', to: '2026-11-21T06:00:00.1Z' },
      NOW,
    );
    expect([from, to]).toEqual(['2026-11-21T05:00:00Z', '2026-11-21T07:00:00Z']);
    expect(times).toEqual(['2026-11-21T05:00:00Z', '2026-11-21T06:00:00Z']);
  });

  it('have an end after their beginning, and an end', () => {
    expect(refusal({ from: '2026-11-21T06:00:00Z', to: '2026-11-21T05:00:00Z' })).toBe('to');
    expect(refusal({ from: '2026-11-21T06:00:00Z', to: '2026-11-21T06:00:00Z' })).toBe('to');
    expect(refusal({ from: '2027-11-21T06:00:00Z' })).toBe('from');
    expect(refusal({ from: '2010-01-01T00:00:00Z' })).toBe('from');
  });

  it('begin with the first moment that there is, where the thirty days would begin before it', () => {
    expect(usageBuckets({ to: '2000-01-05T00:00:00Z' }, NOW).from).toBe('2000-01-01T00:00:00Z');
    // What cannot be is not blamed on a field that nobody sent.
    expect(refusal({ to: '2000-01-01T00:00:00Z' })).toBe('to');
  });
});
