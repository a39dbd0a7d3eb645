import { createPrismaClient } from '@svc/persistence';
import { BillingConfig } from '../../billing.config';
import { startTestLedger } from '../../ledger/ledger.for-spec';
import { SignerLeaseStore } from './signer-lease.store';

it('a lease is its holder’s until it ends, and nobody’s after the clock was set back to long before', async () => {
  const books = await startTestLedger();
  const prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
  try {
    const [one, other] = [0, 1].map(() => new SignerLeaseStore(prisma, new BillingConfig()));
    const endsIn = (interval: string) =>
      books.sql(`UPDATE billing.signer_lease SET lease_until = now() + interval '${interval}'`);
    expect(await one?.hold('0x1')).toBe(true);
    expect(await one?.hold('0x1')).toBe(true);
    expect(await other?.hold('0x1')).toBe(false);
    await endsIn('10 minutes');
    expect(await other?.hold('0x1')).toBe(false);
    await endsIn('1 day');
    expect(await other?.hold('0x1')).toBe(true);
    await endsIn('-1 second');
    expect(await one?.hold('0x1')).toBe(true);
  } finally {
    await prisma.$disconnect();
    await books.close();
  }
});
