import { retryAfterSeconds } from './retry-after';

describe('retryAfterSeconds', () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();

  it.each([
    ['7', 7],
    ['0', 0],
    ['9'.repeat(30), 86_400],
    ['9'.repeat(41), undefined],
    [inSeconds(-60), 0],
    [inSeconds(10 ** 6), 86_400],
    ['soon', undefined],
    ['7.5', undefined],
    ['-5', undefined],
    ['', undefined],
    [undefined, undefined],
    [null, undefined],
    [['7', '7'], undefined],
  ])('%s', (header, seconds) => {
    expect(retryAfterSeconds(header)).toBe(seconds);
  });

  it('a date', () => {
    const seconds = retryAfterSeconds(inSeconds(30));
    expect(seconds).toBeGreaterThanOrEqual(28);
    expect(seconds).toBeLessThanOrEqual(30);
  });

  it.each([86_400, 20, -20, -86_400])('a date of a clock that is %i s ahead', (ahead) => {
    const sentMs = Date.now() + ahead * 1_000;
    const header = new Date(sentMs + 7_000).toUTCString();
    expect(retryAfterSeconds(header, new Date(sentMs).toUTCString())).toBe(7);
  });

  it.each(['today', '7', '', '2026-11-28T08:00:00Z'])('a date beside %j, which is none', (date) => {
    const seconds = retryAfterSeconds(inSeconds(30), date);
    expect(seconds).toBeGreaterThanOrEqual(28);
    expect(seconds).toBeLessThanOrEqual(30);
  });
});
