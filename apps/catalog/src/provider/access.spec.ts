import { ACCESS_SECONDS } from '@svc/supply-messages';
import { isAccessGood } from './access';

const now = 1_800_000_000;
const isGood = (from: number, to: number) =>
  isAccessGood({ provider: '0x', issuedAt: now + from, expiresAt: now + to }, now);

describe('isAccessGood', () => {
  it.each([
    ['begins now', 0, ACCESS_SECONDS],
    ['is nearly over', -ACCESS_SECONDS + 1, 1],
    ['begins by a clock that is ahead', 30, 60],
    ['ended by a clock that is behind', -60, -29],
  ])('when it %s', (_, from, to) => expect(isGood(from, to)).toBe(true));

  it.each([
    ['is over', -ACCESS_SECONDS, -30],
    ['begins later', 31, 60],
    ['lasts too long', 0, ACCESS_SECONDS + 1],
    ['ends before it begins', 10, 0],
    ['lasts no time', 0, 0],
  ])('not when it %s', (_, from, to) => expect(isGood(from, to)).toBe(false));
});
