import { createLogger, createMetricsRegistry } from '@svc/observability';
import { createPrismaClient } from '@svc/persistence';
import { LedgerGauges } from './ledger-gauges.service';
import { LedgerMetrics } from './ledger.metrics';
import { addWallet, admission, lapse, startTestLedger } from './ledger.for-spec';
import { TrialBalanceStore } from './trial-balance.store';

it('tells holds that stand beyond their lease from those that are worked on', async () => {
  const books = await startTestLedger();
  const prisma = createPrismaClient(books.database.billingUrl);
  const wallet = await addWallet(books, 10n ** 9n);
  const holds = [admission(wallet, 5n), admission(wallet, 7n), admission(wallet, 11n)] as const;
  for (const hold of holds) await books.ledger.admit(hold);
  const metrics = new LedgerMetrics(createMetricsRegistry('test'));
  const gauges = new LedgerGauges(new TrialBalanceStore(prisma), metrics, createLogger('test', 'silent'));
  const shown = async () => {
    await gauges.refresh();
    const all = await Promise.all([metrics.openHolds.get(), metrics.lapsedHolds.get(), metrics.held.get()]);
    return all.map(({ values }) => values[0]?.value);
  };
  expect(await shown()).toEqual([3, 0, 23]);
  await lapse(books, [holds[0].holdId, holds[2].holdId]);
  expect(await shown()).toEqual([3, 2, 23]);
  await prisma.$disconnect();
  await books.close();
});
