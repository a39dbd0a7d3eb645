import { randomInt } from 'node:crypto';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import fc from 'fast-check';
import { addWallet, admission, charge, decided, startTestLedger } from './ledger.for-spec';
import type { TestLedger } from './ledger.for-spec';
import { LedgerMetrics } from './ledger.metrics';
import { LedgerService } from './ledger.service';

const ROUNDS = Number(process.env.OVERSELL_ROUNDS ?? 1_000);
const SEED = Number(process.env.LEDGER_SEED ?? randomInt(2 ** 31));

let test: TestLedger;
/** A second instance of billing on the same database. */
let second: LedgerService;

beforeAll(async () => {
  test = await startTestLedger();
  const metrics = new LedgerMetrics(createMetricsRegistry('test'));
  second = new LedgerService(test.config, createLogger('test', 'silent'), metrics);
});
afterAll(async () => {
  await second.beforeApplicationShutdown();
  await test.close();
});

describe('a wallet that is asked for more than it has', () => {
  const rounds = fc.record({
    affordable: fc.integer({ min: 0, max: 12 }),
    asked: fc.integer({ min: 1, max: 40 }),
    amount: fc.integer({ min: 1, max: 1_000_000 }),
    /** Less than what one more would need. */
    rest: fc.nat(),
    /** How many of the first admissions are posted while others are asked for. */
    posted: fc.nat({ max: 5 }),
  });

  it(
    `admits exactly what it affords, over two instances, ${ROUNDS} times (LEDGER_SEED=${SEED})`,
    async () => {
      const property = fc.asyncProperty(rounds, async ({ affordable, asked, amount, rest, posted }) => {
        const limit = BigInt(affordable * amount + (rest % amount));
        const at = await addWallet(test, limit);
        const ask = async (index: number) => {
          const request = admission(at, BigInt(amount));
          const result = await decided(() => (index % 2 === 0 ? test.ledger : second).admit(request));
          if (result.outcome === 'held' && index < posted) {
            // The whole hold: nothing of it can be held again.
            const charged = { type: 'post', wallet: at.wallet, holdId: request.holdId } as const;
            await decided(() => test.ledger.resolve({ ...charged, charge: charge(amount) }));
          }
          return result.outcome;
        };
        const outcomes = await Promise.all(Array.from({ length: asked }, (_, index) => ask(index)));
        expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(Math.min(affordable, asked));
      });
      await fc.assert(property, { seed: SEED, numRuns: ROUNDS });
    },
    300_000 + 200 * ROUNDS,
  );
});
