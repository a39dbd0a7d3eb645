import { isBefore, isUtcTime } from './utc-time';

describe('a time in UTC', () => {
  it.each(['2026-11-21T06:00:00Z', '2028-02-29T23:59:59.999999Z', '2026-01-01T00:00:00.5Z'])(
    'takes %s',
    (time) => {
      expect(isUtcTime(time)).toBe(true);
    },
  );

  it.each([
    ...['2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-11-31T00:00:00Z', '2026-01-01T24:00:00Z'],
    ...[
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-01-01T00:00:00+01:00',
      '2026-01-01 00:00:00Z',
      'now',
      '1e3',
    ],
    ...['2026-01-01T00:00:00.1234567Z', 'infinity', '', '1999-01-01T00:00:00Z', '2026-01-01T00:00:60Z'],
  ])('refuses %s', (time) => {
    expect(isUtcTime(time)).toBe(false);
  });

  it('is not before itself, however written; a microsecond later it is', () => {
    expect(isBefore('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z')).toBe(true);
    expect(isBefore('2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00Z')).toBe(false);
    expect(isBefore('x', '2026-01-01T00:00:00Z')).toBe(false);
  });
});
