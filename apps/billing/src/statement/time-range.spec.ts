import { hourOf, splitByDay } from './time-range';

const day = (date: number, hour = 0) =>
  `2026-03-${String(date).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00.000Z`;

describe('a range of hours as days and hours', () => {
  it.each([
    ['whole days', day(1), day(4), { days: { from: day(1), to: day(4) }, hours: [] }],
    [
      'parts at both ends',
      day(1, 5),
      day(4, 3),
      {
        days: { from: day(2), to: day(4) },
        hours: [
          { from: day(1, 5), to: day(2) },
          { from: day(4), to: day(4, 3) },
        ],
      },
    ],
    ['less than a day', day(1, 5), day(1, 9), { hours: [{ from: day(1, 5), to: day(1, 9) }] }],
    ['over one midnight', day(1, 22), day(2, 2), { hours: [{ from: day(1, 22), to: day(2, 2) }] }],
    [
      'no beginning',
      undefined,
      day(2, 2),
      { days: { from: undefined, to: day(2) }, hours: [{ from: day(2), to: day(2, 2) }] },
    ],
    [
      'no end',
      day(1, 1),
      undefined,
      { days: { from: day(2), to: undefined }, hours: [{ from: day(1, 1), to: day(2) }] },
    ],
    ['open', undefined, undefined, { days: { from: undefined, to: undefined }, hours: [] }],
  ])('%s', (_name, from, to, expected) => {
    expect(splitByDay({ from, to })).toEqual(expected);
  });

  it('knows the hour of a moment with microseconds', () => {
    expect(hourOf('2026-03-01T05:59:59.999999Z')).toBe(day(1, 5));
  });
});
