import { retryDelayMs } from './retry-delay';

it('waits 1, 2, 4 … up to 60 minutes', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 60, 2_000].map((failures) => retryDelayMs(failures) / 60_000)).toEqual([
    1, 2, 4, 8, 16, 32, 60, 60, 60,
  ]);
});
