import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { addWallet, startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { QuotaLimitStore } from './quota-limit.store';

let test: TestLedger;
let prisma: PrismaClient;

beforeAll(async () => {
  test = await startTestLedger();
  prisma = createPrismaClient(test.database.billingUrl);
});
afterAll(async () => {
  await prisma.$disconnect();
  await test.close();
});

it.each([
  ['has as much as begins anew', 100n, "100, 'daily'", true],
  ['begins anew, and has less then too', 101n, "100, 'monthly'", false],
  ['is for good', 1n, '100, NULL', false],
])('a budget that %s', async (_, amount, budget, will) => {
  const at = await addWallet(test, 1_000n);
  await test.sql(`UPDATE billing.key_budget SET (cap, reset) = (${budget}) WHERE wallet = $1`, [at.wallet]);
  expect(await new QuotaLimitStore(prisma).willAfford(at, amount)).toBe(will);
});
