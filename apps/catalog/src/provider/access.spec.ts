import { ACCESS_SECONDS } from '@svc/supply-messages';
import { accessFault } from './access';

const now = 1_800_000_000;
const faultOf = (from: number, to: number) =>
  accessFault({ provider: '0x', issuedAt: now + from, expiresAt: now + to }, now);

describe('accessFault', () => {
  it.each([
    ['begins now', 0, ACCESS_SECONDS],
    ['is nearly over', -ACCESS_SECONDS + 1, 1],
    ['begins by a clock that is ahead', 30, 60],
    ['ended by a clock that is behind', -60, -29],
  ])('finds none where an access %s', (_, from, to) => expect(faultOf(from, to)).toBeUndefined());

  const clock = 'It is 1800000000 here (Unix seconds): is your clock right?';

  it.each([
    ['is over', -ACCESS_SECONDS, -30, `The access ended at ${now - 30}. ${clock}`],
    ['begins later', 31, 60, `The access begins only at ${now + 31}. ${clock}`],
    ['lasts too long', 0, 601, 'The access has to last from 1 to 600 seconds, and lasts 601.'],
    ['ends before it begins', 10, 0, 'The access has to last from 1 to 600 seconds, and lasts -10.'],
    ['lasts no time', 0, 0, 'The access has to last from 1 to 600 seconds, and lasts 0.'],
  ])('says what is wrong with one that %s', (_, from, to, words) => expect(faultOf(from, to)).toBe(words));
});
