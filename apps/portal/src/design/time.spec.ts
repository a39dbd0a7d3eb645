import { showDuration, showRelative } from './time';

describe('showRelative', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  it.each([
    ['2026-11-21T11:59:50Z', 'just now'],
    ['2026-11-21T11:55:00Z', '5 minutes ago'],
    ['2026-11-21T09:00:00Z', '3 hours ago'],
    ['2026-11-20T11:00:00Z', 'yesterday'],
    ['2026-11-24T12:00:00Z', 'in 3 days'],
    ['2024-11-21T12:00:00Z', '2 years ago'],
  ])('%s is %s', (at, shown) => {
    expect(showRelative(new Date(at), now)).toBe(shown);
  });
});

describe('showDuration', () => {
  it.each([
    [0.4, '0 ms'],
    [842, '842 ms'],
    [1_449, '1.4 s'],
    [125_000, '2 min 5 s'],
  ])('%d ms is %s', (ms, shown) => {
    expect(showDuration(ms)).toBe(shown);
  });
});
