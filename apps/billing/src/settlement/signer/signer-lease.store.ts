import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { BillingConfig } from '../../billing.config';
import { DATABASE } from '../../database/tokens';

/** Thrown when somebody else may sign by now: nothing of the commit was done. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** How often a lease is renewed in the time that it lasts, however long a step takes. */
const RENEWALS = 4;

/** Of all instances of billing one signs for an address: whoever holds its lease. */
@Injectable()
export class SignerLeaseStore {
  private readonly holder = randomUUID();

  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly config: BillingConfig,
  ) {}

  /**
   * Takes or renews the lease. One that ends later than any does is from before PostgreSQL's clock was set back: nobody has it.
   * @returns whether this process holds it
   */
  async hold(signer: string): Promise<boolean> {
    const rows = await this.prisma.$executeRaw`
      INSERT INTO billing.signer_lease AS l (signer, holder, lease_until)
      VALUES (${signer}, ${this.holder}, clock_timestamp() + ${this.config.settlementLeaseMs} * interval '1 millisecond')
      ON CONFLICT (signer) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
      WHERE l.holder = excluded.holder OR l.lease_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 hour'`;
    return rows > 0;
  }

  /**
   * Takes or renews the lease and keeps it for as long as the work takes: making a batch may take longer than a lease.
   * @returns what the work does; undefined when somebody else holds the lease
   */
  async during<Result>(signer: string, work: () => Promise<Result>): Promise<Result | undefined> {
    if (!(await this.hold(signer))) return undefined;
    let renewing: Promise<unknown> = Promise.resolve();
    const renew = () => {
      // What keeps it from being renewed shows when something is to be stored.
      renewing = Promise.all([renewing, this.hold(signer).catch(() => undefined)]);
    };
    const timer = setInterval(renew, this.config.settlementLeaseMs / RENEWALS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      // One that is still on its way would take the lease again once it was let go of.
      await renewing;
    }
  }

  /**
   * Keeps the lease from going to anybody else before `commit` is over. One that has run out is still ours as long as
   * nobody took it: making a batch may take longer than a lease.
   * @throws LeaseLostError
   */
  async require(signer: string, commit: Prisma.TransactionClient): Promise<void> {
    const held = await commit.$executeRaw`
      UPDATE billing.signer_lease SET lease_until = clock_timestamp() + ${this.config.settlementLeaseMs} * interval '1 millisecond'
      WHERE signer = ${signer} AND holder = ${this.holder}`;
    if (held === 0) throw new LeaseLostError(`the lease of ${signer} is somebody else's`);
  }

  /** Lets go of it, so that another instance need not wait. */
  async release(signer: string): Promise<void> {
    await this.prisma
      .$executeRaw`DELETE FROM billing.signer_lease WHERE signer = ${signer} AND holder = ${this.holder}`;
  }
}
