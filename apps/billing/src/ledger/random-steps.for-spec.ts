import fc from 'fast-check';

/** An idempotency key and the request under it, by number. */
interface RandomClaim {
  key: number;
  request: number;
}

/** One operation of a random sequence; wallets, keys and holds by number. */
export type RandomOperation =
  | { type: 'admit'; key: number; hold: number; amount: number; claim: RandomClaim | null }
  | { type: 'post'; wallet: number; hold: number; cost: number }
  | { type: 'void' | 'abandon' | 'expire' | 'renew'; wallet: number; hold: number };

/** What happens beside the ledger's own operations. */
export type RandomEvent =
  | {
      type: 'limits';
      wallet: number;
      limitHead: number;
      limitSafe: number;
      settledHead: number;
      settledSafe: number;
    }
  | { type: 'suspend' | 'reinstate'; wallet: number }
  | { type: 'credit'; wallet: number; amount: number }
  | { type: 'refund'; wallet: number; hold: number }
  | { type: 'revoke'; key: number }
  | { type: 'budget'; key: number; cap: number | null }
  | { type: 'period'; key: number }
  | { type: 'lapse'; hold: number }
  | { type: 'cut' };

/** A step: operations that come at the same moment, or one event. */
export type RandomStep = { operations: RandomOperation[] } | { event: RandomEvent };

export const WALLETS = 2;
/** The keys 0 and 1 are wallet 0's, 2 and 3 wallet 1's; 4 nobody's. */
export const KEYS = 5;
export const HOLDS = 6;
export const CLAIMS = 2;

const wallet = fc.nat({ max: WALLETS - 1 });
const key = fc.oneof(
  { weight: 9, arbitrary: fc.nat({ max: KEYS - 2 }) },
  { weight: 1, arbitrary: fc.constant(KEYS - 1) },
);
const hold = fc.nat({ max: HOLDS - 1 });
const amount = fc.integer({ min: 1, max: 60 });
const claim = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.record({ key: fc.nat({ max: CLAIMS - 1 }), request: fc.nat({ max: 1 }) }),
  },
);
const cost = fc.integer({ min: 0, max: 70 });

const operation: fc.Arbitrary<RandomOperation> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('admit'), key, hold, amount, claim }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('post'),
      wallet,
      hold,
      cost,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constantFrom('void', 'abandon', 'expire', 'renew'), wallet, hold }),
  },
);

const limit = fc.nat({ max: 150 });

const event: fc.Arbitrary<RandomEvent> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('limits'),
      wallet,
      limitHead: limit,
      limitSafe: limit,
      settledHead: fc.nat({ max: 20 }),
      settledSafe: fc.nat({ max: 20 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('lapse'), hold }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('suspend', 'reinstate'), wallet }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('credit'), wallet, amount }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('refund'), wallet, hold }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('revoke'), key: fc.nat({ max: KEYS - 2 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('budget'),
      key: fc.nat({ max: KEYS - 2 }),
      cap: fc.oneof(fc.constant(null), fc.nat({ max: 120 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('period'), key: fc.nat({ max: KEYS - 2 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cut') }) },
);

/** Sequences of steps. Amounts are small against limits that are small too, so that refusals are frequent. */
export const randomSteps = (maxSteps: number): fc.Arbitrary<RandomStep[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          // Also several of one hold.
          operations: fc.array(operation, { minLength: 1, maxLength: HOLDS + 2 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ event }) },
    ),
    { minLength: 5, maxLength: maxSteps },
  );
