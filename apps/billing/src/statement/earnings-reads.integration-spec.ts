import { createPrismaClient } from '@svc/persistence';
import { pagesRead } from '../database/rows-read.for-spec';
import { startTestLedger } from '../ledger/ledger.for-spec';
import { EarningsStore } from './earnings.store';
import { STATEMENT_SETTINGS } from './statement-database';
import { providerNumber } from './statement.for-spec';

const PROVIDERS = 20;
/** With an hour each in every hour of a hundred days. */
const HOURS = 2_400;

it.each(['day', 'month', 'hour'] as const)(
  'a page of earnings by the %s does not read the hours of all providers',
  async (by) => {
    const books = await startTestLedger();
    const prisma = createPrismaClient(books.database.billingUrl, {
      maxConnections: 1,
      settings: STATEMENT_SETTINGS,
    });
    try {
      await books.sql(`
      INSERT INTO billing.provider_hour
      SELECT '0x' || lpad(to_hex(p), 40, '0'), '2026-01-01T00:00:00Z'::timestamptz + h * interval '1 hour', 'svc/m@1', 1, 2, 3, 4
      FROM generate_series(1, ${PROVIDERS}) p, generate_series(0, ${HOURS - 1}) h;
      INSERT INTO billing.provider_day
      SELECT provider, date_trunc('day', hour, 'UTC'), model, sum(requests), sum(prompt_tokens), sum(completion_tokens), sum(credited)
      FROM billing.provider_hour GROUP BY 1, 2, 3`);
      await books.sql('VACUUM ANALYZE billing.provider_hour, billing.provider_day');
      const earnings = new EarningsStore({ prisma } as never);
      const [page, pages] = await pagesRead(prisma, () =>
        earnings.page({ provider: providerNumber(7), by }, undefined, 26),
      );
      expect(page.account?.credited).toBe(String(4 * HOURS));
      expect(page.totals?.credited).toBe(String(4 * HOURS));
      // Thrice the days of all providers, which are few here; all their hours have some 600 pages.
      expect(pages).toBeLessThan(200);
    } finally {
      await prisma.$disconnect();
      await books.close();
    }
  },
);
