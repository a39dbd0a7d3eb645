import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** Sums of one account, base units. */
export interface AccountSums {
  readonly account: string;
  readonly debits: bigint;
  readonly credits: bigint;
}

export interface HeldSums {
  readonly heldByWallets: bigint;
  readonly heldByOpenHolds: bigint;
  readonly openHolds: number;
}

// Sums are NUMERIC in PostgreSQL and may pass BIGINT; they come as text.
interface AccountRow {
  account: string;
  debits: string;
  credits: string;
}

interface HeldRow {
  held_by_wallets: string;
  held_by_open_holds: string;
  open_holds: bigint;
}

@Injectable()
export class TrialBalanceStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Both sides of every account over all transfers there are, and what is held, all from one snapshot. */
  async all(): Promise<{ accounts: AccountSums[]; held: HeldSums }> {
    const [accounts, held] = await this.prisma.$transaction([this.accounts(), this.heldRows()], {
      isolationLevel: 'RepeatableRead',
    });
    return {
      accounts: accounts.map(({ account, debits, credits }) => ({
        account,
        debits: BigInt(debits),
        credits: BigInt(credits),
      })),
      held: heldSums(held),
    };
  }

  /** What is held as the wallets say it and as the open holds add up to, from one snapshot. */
  async held(): Promise<HeldSums> {
    return heldSums(await this.heldRows());
  }

  private accounts() {
    return this.prisma.$queryRaw<AccountRow[]>`
      SELECT account::text, sum(debits)::text AS debits, sum(credits)::text AS credits
      FROM (
        SELECT debit_account AS account, sum(amount) AS debits, 0 AS credits
        FROM billing.transfer GROUP BY debit_account
        UNION ALL
        SELECT credit_account, 0, sum(amount) FROM billing.transfer GROUP BY credit_account
      ) sides
      GROUP BY account ORDER BY account`;
  }

  private heldRows() {
    return this.prisma.$queryRaw<HeldRow[]>`
      SELECT (SELECT coalesce(sum(held), 0)::text FROM billing.wallet) AS held_by_wallets,
             coalesce(sum(amount), 0)::text AS held_by_open_holds, count(*) AS open_holds
      FROM billing.open_hold`;
  }
}

function heldSums([row]: readonly HeldRow[]): HeldSums {
  return {
    heldByWallets: BigInt(row?.held_by_wallets ?? 0),
    heldByOpenHolds: BigInt(row?.held_by_open_holds ?? 0),
    openHolds: Number(row?.open_holds ?? 0),
  };
}
