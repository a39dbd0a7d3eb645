import { endsFinding, watchedAnew } from './findings';
import { LIFTED_BY_CANARY, UNWATCHED } from './watch-codes';

const at = (minute: number) => new Date(minute * 60_000);
const finding = (watchCode: string) => ({
  watchCode,
  watchReason: 'x',
  watchSince: at(10),
  retryAt: at(14),
  retries: 2,
});

describe.each(LIFTED_BY_CANARY)('what was found as %s', (code) => {
  it.each([
    ['before it was found', 9, 15, false],
    ['since, and passed within the pause', 11, 13, false],
    ['since, and passed after the pause', 11, 14, true],
  ])('is ended by a run that was asked for %s: %s, %s: %s', (_when, requested, passed, ends) => {
    expect(endsFinding(finding(code), at(requested), at(passed))).toBe(ends);
  });

  it('is ended by any run that passes after the clock was set back to before it was found', () => {
    expect(endsFinding(finding(code), at(8), at(9))).toBe(true);
  });

  it('stands with its pause when the offer begins anew too early', () => {
    expect(watchedAnew(finding(code), at(11), at(13))).toEqual({
      ...UNWATCHED,
      ...finding(code),
      nextCanaryAt: at(14),
    });
    expect(watchedAnew(finding(code), at(11), at(14))).toEqual(UNWATCHED);
  });
});

it('takes a run that passes for a sign of life, whenever it was asked for', () => {
  expect(endsFinding(finding('no_heartbeat'), at(9), at(11))).toBe(true);
  expect(endsFinding({ watchCode: null, watchSince: null, retryAt: null }, at(9), at(11))).toBe(true);
});
