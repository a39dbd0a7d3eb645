import type { PrismaClient } from '@svc/persistence';
import { eventually } from '@svc/testing';
import type { BillingConfig } from '../../billing.config';
import type { PauseStore } from '../pause.store';
import type { JobSender } from '../signer/job-sender';
import { SignerLeaseStore } from '../signer/signer-lease.store';
import type { PayoutBooking } from './payout-booking';
import type { PayoutCycle } from './payout-cycle';
import { PayoutSteps } from './payout-steps';

const LEASE_MS = 60;
const payer = { account: { address: `0x${'a'.repeat(40)}` } } as JobSender;

describe('a step of payouts', () => {
  it('keeps the lease for as long as it takes', async () => {
    let renewals = 0;
    const prisma = { $executeRaw: () => Promise.resolve(++renewals) } as unknown as PrismaClient;
    const leases = new SignerLeaseStore(prisma, { settlementLeaseMs: LEASE_MS } as BillingConfig);
    const pauses = { standing: () => Promise.resolve([]) } as unknown as PauseStore;
    const booking = { book: () => Promise.resolve() } as unknown as PayoutBooking;
    // Over when the lease was renewed again and again, and not by a clock that stands still with the process.
    const advance = jest.fn(() => eventually(() => renewals > 3 && { state: 'idle' as const }));
    const steps = new PayoutSteps(leases, pauses, booking, { advance } as unknown as PayoutCycle);
    expect(await steps.take(payer)).toEqual({ state: 'idle' });
    expect(advance).toHaveBeenCalledTimes(1);
  });

  const unpublished = async (key: JobSender | undefined, hasLease: boolean) => {
    const [book, advance] = [jest.fn(() => Promise.resolve()), jest.fn()];
    const leases = {
      during: (_: string, work: () => Promise<unknown>) => (hasLease ? work() : Promise.resolve(undefined)),
    };
    const steps = new PayoutSteps(
      leases as unknown as SignerLeaseStore,
      { standing: () => Promise.resolve([{ actor: 'somebody' }]) } as unknown as PauseStore,
      { book } as unknown as PayoutBooking,
      { advance } as unknown as PayoutCycle,
    );
    const { state } = await steps.take(key);
    return { state, booked: book.mock.calls.length, advanced: advance.mock.calls.length };
  };

  it.each([
    ['is paused', payer, true, 'paused'],
    ['is another instance’s turn', payer, false, 'standby'],
    ['has no key', undefined, true, 'off'],
  ] as const)('books what was paid, and sends nothing, when it %s', async (_, key, hasLease, state) => {
    expect(await unpublished(key, hasLease)).toEqual({ state, booked: 1, advanced: 0 });
  });
});
