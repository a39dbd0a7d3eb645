import type { PrismaClient } from '@svc/persistence';
import { BillingConfig } from '../../billing.config';
import { SignerLeaseStore } from './signer-lease.store';

const LEASE_MS = 10_000;

describe('SignerLeaseStore', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('has no renewal on its way when the work is over: it would take again what is let go of then', async () => {
    const statements: (() => void)[] = [];
    const prisma = { $executeRaw: () => new Promise((resolve) => statements.push(() => resolve(1))) };
    const leases = new SignerLeaseStore(
      prisma as unknown as PrismaClient,
      Object.assign(new BillingConfig(), { settlementLeaseMs: LEASE_MS }),
    );
    let finish: () => void = () => undefined;
    let isOver = false;
    const work = () => new Promise<void>((resolve) => (finish = resolve));
    const working = leases.during('0x1', work).then(() => (isOver = true));
    statements[0]?.();
    await jest.advanceTimersByTimeAsync(LEASE_MS / 2);
    expect(statements).toHaveLength(3);
    finish();
    statements[2]?.();
    await jest.advanceTimersByTimeAsync(LEASE_MS);
    expect(isOver).toBe(false);
    expect(statements).toHaveLength(3);
    statements[1]?.();
    await working;
  });
});
