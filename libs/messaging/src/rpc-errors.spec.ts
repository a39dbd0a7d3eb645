import { clockIn, clockOf, errorHeaders } from './rpc-errors';

describe('the clock of a refusal', () => {
  it('is read as it was said', () => {
    expect(clockIn(errorHeaders('no_capacity', 1_795_000_000_000))).toBe(1_795_000_000_000);
    expect(clockIn(errorHeaders('no_capacity'))).toBeUndefined();
    expect(clockIn(undefined)).toBeUndefined();
  });

  it.each([Infinity, NaN, 1e300, -5, 0, 1.5, '16', null, undefined])(
    'is none where %p is said: every deadline would go by it',
    (said) => expect(clockOf(said)).toBeUndefined(),
  );
});
