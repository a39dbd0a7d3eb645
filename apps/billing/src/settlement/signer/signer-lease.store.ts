import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { DATABASE } from '../../database/tokens';

/** Thrown when somebody else may sign by now: nothing of the commit was done. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** Longer than any pause of a process that is still well; after a crash, the next one signs so much later. */
const LEASE_MS = 10_000;

/** Of all instances of billing one signs for an address: whoever holds its lease. */
@Injectable()
export class SignerLeaseStore {
  private readonly holder = randomUUID();

  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Takes or renews the lease. @returns whether this process holds it */
  async hold(signer: string): Promise<boolean> {
    const rows = await this.prisma.$executeRaw`
      INSERT INTO billing.signer_lease AS l (signer, holder, lease_until)
      VALUES (${signer}, ${this.holder}, clock_timestamp() + ${LEASE_MS} * interval '1 millisecond')
      ON CONFLICT (signer) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
      WHERE l.holder = excluded.holder OR l.lease_until < clock_timestamp()`;
    return rows > 0;
  }

  /**
   * Keeps the lease from going to anybody else before `commit` is over. One that has run out is still ours as long as
   * nobody took it: making a batch may take longer than a lease.
   * @throws LeaseLostError
   */
  async require(signer: string, commit: Prisma.TransactionClient): Promise<void> {
    const held = await commit.$executeRaw`
      UPDATE billing.signer_lease SET lease_until = clock_timestamp() + ${LEASE_MS} * interval '1 millisecond'
      WHERE signer = ${signer} AND holder = ${this.holder}`;
    if (held === 0) throw new LeaseLostError(`the lease of ${signer} is somebody else's`);
  }

  /** Lets go of it, so that another instance need not wait. */
  async release(signer: string): Promise<void> {
    await this.prisma
      .$executeRaw`DELETE FROM billing.signer_lease WHERE signer = ${signer} AND holder = ${this.holder}`;
  }
}
