import type { PrismaClient } from '@svc/persistence';

/**
 * Receipts and statements follow the ledger by its transactions' numbers, which a dump takes along and the server that it is restored into
 * does not: what is charged with numbers that were read already would be passed over for good.
 * @throws Error when the server's numbers are below those
 */
export async function assertNumbersGoOn(prisma: PrismaClient): Promise<void> {
  const [row] = await prisma.$queryRaw<{ isBehind: boolean }[]>`
    SELECT pg_snapshot_xmax(pg_current_snapshot()) < max(next_txid) AS "isBehind" FROM billing.projection`;
  if (row?.isBehind) {
    throw new Error(
      'the database is a restored dump, and its server’s transactions have not passed its numbers: see docs/deployment.md',
    );
  }
}
