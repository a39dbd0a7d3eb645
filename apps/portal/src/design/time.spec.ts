import { showAbsolute, showDuration, showRelative } from './time';

describe('showRelative', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  it.each([
    ['2026-11-21T11:59:50Z', 'just now'],
    ['2026-11-21T11:55:00Z', '5 minutes ago'],
    ['2026-11-21T09:00:00Z', '3 hours ago'],
    ['2026-11-20T11:00:00Z', '1 day ago'],
    // Neither the day before nor the next one: where the reader is it may be the same.
    ['2026-11-20T17:00:00Z', '19 hours ago'],
    ['2026-11-22T07:00:00Z', 'in 19 hours'],
    ['2026-11-24T12:00:00Z', 'in 3 days'],
    ['2026-10-29T12:00:00Z', '23 days ago'],
    ['2026-02-01T12:00:00Z', '10 months ago'],
    ['2024-11-21T12:00:00Z', '2 years ago'],
  ])('%s is %s', (at, shown) => {
    expect(showRelative(new Date(at), now)).toBe(shown);
  });
});

describe('showAbsolute', () => {
  it('names the time zone: sums go by another one', () => {
    const at = new Date('2026-11-21T12:34:56Z');
    const [zone] = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })
      .formatToParts(at)
      .filter(({ type }) => type === 'timeZoneName');
    expect(showAbsolute(at)).toContain(`34:56`);
    expect(showAbsolute(at)).toContain(zone?.value);
  });
});

describe('showDuration', () => {
  it.each([
    [0.4, '0 ms'],
    [842, '842 ms'],
    [1_449, '1.4 s'],
    [999.7, '1.0 s'],
    [59_970, '1 min 0 s'],
    [119_700, '2 min 0 s'],
    [125_000, '2 min 5 s'],
  ])('%d ms is %s', (ms, shown) => {
    expect(showDuration(ms)).toBe(shown);
  });
});
