import type { UsageDimension } from '@svc/contracts';
import fc from 'fast-check';

/** One thing that happens to a random market; wallets, keys, models and providers by number, requests by how many there are. */
export type MarketStep =
  | {
      type: 'serve';
      key: number;
      model: number;
      provider: number;
      cost: number;
      moment: number;
      timed: boolean;
      /** Its hold had been freed before: the platform pays. */
      late: boolean;
    }
  | { type: 'fail'; key: number; model: number; moment: number; reason: 'no_capacity' | 'cancelled' }
  | { type: 'hold' | 'revoke'; key: number }
  | { type: 'refund'; nth: number }
  | { type: 'credit'; wallet: number; amount: number }
  /** Dues are made of what waits. */
  | { type: 'batch' }
  /** The chain shows so many of a wallet's dues as paid: also fewer than before. */
  | { type: 'pay'; wallet: number; dues: number }
  | { type: 'release' | 'project' };

/** What is asked for, once all of that has happened. */
export interface MarketQuestion {
  readonly wallet: number;
  readonly by: UsageDimension[];
  readonly earningsBy: 'hour' | 'day' | 'month';
  readonly key: number | null;
  readonly model: number | null;
  readonly provider: number | null;
  readonly outcome: 'served' | 'unserved' | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly limit: number;
}

export const WALLETS = 2;
/** Of each wallet; the first has a budget by the month. */
export const KEYS = 2;
const MODELS = 2;
export const PROVIDERS = 2;

/** Where hours, days and months end, several at the same microsecond, and where clocks elsewhere are put forward and back. */
export const MOMENTS = [
  '2024-02-29T23:59:59.999999Z',
  '2024-03-01T00:00:00.000000Z',
  '2025-12-31T23:59:59.999999Z',
  '2026-01-01T00:00:00.000000Z',
  '2026-01-01T00:00:00.000001Z',
  '2026-03-29T00:59:59.999999Z',
  '2026-03-29T01:00:00.000000Z',
  '2026-10-25T00:30:00.000000Z',
  '2026-10-25T01:30:00.000000Z',
  '2026-10-25T01:30:00.000000Z',
  '2026-10-31T18:15:00.500000Z',
  '2026-11-01T05:45:00.000000Z',
] as const;

/** Ends of ranges: whole hours, as sums are asked for. */
export const HOURS = [
  '2024-03-01T00:00:00Z',
  '2025-12-31T23:00:00Z',
  '2026-01-01T00:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-10-25T02:00:00Z',
  '2026-11-01T00:00:00Z',
] as const;

const wallet = fc.nat({ max: WALLETS - 1 });
const key = fc.nat({ max: WALLETS * KEYS - 1 });
const model = fc.nat({ max: MODELS - 1 });
const provider = fc.nat({ max: PROVIDERS - 1 });
const moment = fc.nat({ max: MOMENTS.length - 1 });
const hour = fc.option(fc.nat({ max: HOURS.length - 1 }));

const step: fc.Arbitrary<MarketStep> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      type: fc.constant('serve'),
      key,
      model,
      provider,
      cost: fc.nat({ max: 30 }),
      moment,
      timed: fc.boolean(),
      late: fc.oneof(
        { weight: 4, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('fail'),
      key,
      model,
      moment,
      reason: fc.constantFrom('no_capacity', 'cancelled'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('hold', 'revoke'), key }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('refund'), nth: fc.nat({ max: 40 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('credit'), wallet, amount: fc.integer({ min: 1, max: 20 }) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('batch') }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('pay'), wallet, dues: fc.nat({ max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('release', 'project') }) },
);

const times = fc.constantFrom<UsageDimension | null>('hour', 'day', 'month', null);
const others = fc.subarray<UsageDimension>(['key', 'model', 'provider']);

const question: fc.Arbitrary<MarketQuestion> = fc.record({
  wallet,
  by: fc.tuple(times, others).map(([time, rest]) => (time === null ? rest : [time, ...rest])),
  earningsBy: fc.constantFrom('hour', 'day', 'month'),
  key: fc.option(fc.nat({ max: KEYS - 1 })),
  model: fc.option(model),
  provider: fc.option(provider),
  outcome: fc.option(fc.constantFrom('served', 'unserved')),
  from: hour,
  to: hour,
  limit: fc.integer({ min: 1, max: 7 }),
});

export const randomMarket = fc.record({
  steps: fc.array(step, { minLength: 15, maxLength: 60 }),
  questions: fc.array(question, { minLength: 6, maxLength: 6 }),
});
