import { isAged } from './age';

it.each([
  [0, false],
  [59_999, false],
  [60_000, true],
  [Infinity, true],
  // The clock was set back since.
  [-1, true],
  [-86_400_000, true],
])('what is %i ms old is a minute old: %s', (ageMs, aged) => {
  expect(isAged(ageMs, 60_000)).toBe(aged);
});
