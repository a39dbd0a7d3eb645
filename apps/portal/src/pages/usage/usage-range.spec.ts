import { daysOf, readDays, spanOf } from './usage-range';

const NOW = new Date('2026-11-21T15:04:05Z');

describe('a range of usage', () => {
  it('up to now begins with a whole hour and has no end', () => {
    expect(spanOf({ preset: '24h' }, NOW)).toEqual({ from: '2026-11-20T15:00:00.000Z' });
    expect(spanOf({ preset: '1y' }, NOW)).toEqual({ from: '2025-11-21T15:00:00.000Z' });
  });

  it('of days has the last one in it', () => {
    expect(spanOf({ first: '2026-02-27', last: '2026-02-28' }, NOW)).toEqual({
      from: '2026-02-27T00:00:00Z',
      to: '2026-03-01T00:00:00.000Z',
    });
  });

  it.each([
    ['2026-11-01', '2026-11-21', { first: '2026-11-01', last: '2026-11-21' }],
    ['2026-11-21', '2026-11-01', { first: '2026-11-01', last: '2026-11-21' }],
    ['2026-11-01', null, undefined],
    ['2026-02-30', '2026-11-21', undefined],
    ['1926-02-03', '2026-11-21', undefined],
    ["'--", '2026-11-21', undefined],
  ])('is read from %p and %p', (first, last, range) => {
    expect(readDays(first, last)).toEqual(range);
  });

  it('becomes days', () => {
    expect(daysOf({ preset: '7d' }, NOW)).toEqual({ first: '2026-11-14', last: '2026-11-21' });
  });
});
