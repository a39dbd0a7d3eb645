import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** Sums of one account, base units. */
interface AccountSums {
  readonly account: string;
  readonly debits: bigint;
  readonly credits: bigint;
}

interface HeldSums {
  readonly heldByWallets: bigint;
  readonly heldByOpenHolds: bigint;
  readonly openHolds: number;
  /** Of those, the ones whose lease has run out. */
  readonly lapsedHolds: number;
}

// Sums are NUMERIC in PostgreSQL and may pass BIGINT; they come as text.
interface AccountRow {
  account: string;
  debits: string;
  credits: string;
}

/** What two records of the same thing differ by, base units; 0 when they agree. */
interface SetDifferences {
  /** Σ charged by wallets less Σ usage records, those that are not projected yet included. */
  readonly charged: bigint;
  /** Σ credited by wallets less Σ credits, likewise. */
  readonly credited: bigint;
}

interface HeldRow {
  held_by_wallets: string;
  held_by_open_holds: string;
  open_holds: bigint;
  lapsed_holds: bigint;
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

  /**
   * What wallets say that they were charged and credited, held against the sums that the projection keeps and what it has
   * not read yet: as cheap as there are wallets, however many transfers there are. From one snapshot.
   */
  async differences(): Promise<SetDifferences> {
    const [row] = await this.prisma.$queryRaw<{ charged: string; credited: string }[]>`
      SELECT (w.posted - u.total - u.waiting)::text AS charged, (w.credited - c.total - c.waiting)::text AS credited
      FROM (SELECT coalesce(sum(posted), 0) AS posted, coalesce(sum(credited), 0) AS credited FROM billing.wallet) w,
           (SELECT p.total, (SELECT coalesce(sum(r.cost), 0) FROM billing.usage_record r
                             WHERE r.txid >= p.next_txid AND NOT r.late) AS waiting
            FROM billing.projection p WHERE p.name = 'usage') u,
           (SELECT p.total, (SELECT coalesce(sum(r.amount), 0) FROM billing.credit r
                             WHERE r.txid >= p.next_txid) AS waiting
            FROM billing.projection p WHERE p.name = 'credit') c`;
    return { charged: BigInt(row?.charged ?? 0), credited: BigInt(row?.credited ?? 0) };
  }

  private accounts() {
    return this.prisma.$queryRaw<AccountRow[]>`
      WITH pairs AS MATERIALIZED (
        -- Few pairs of accounts, so that all transfers are read once.
        SELECT debit_account, credit_account, sum(amount) AS amount FROM billing.transfer GROUP BY 1, 2
      )
      SELECT account::text, sum(debits)::text AS debits, sum(credits)::text AS credits
      FROM (
        SELECT debit_account AS account, amount AS debits, 0 AS credits FROM pairs
        UNION ALL
        SELECT credit_account, 0, amount FROM pairs
      ) sides
      GROUP BY account ORDER BY account`;
  }

  private heldRows() {
    return this.prisma.$queryRaw<HeldRow[]>`
      SELECT (SELECT coalesce(sum(held), 0)::text FROM billing.wallet) AS held_by_wallets,
             coalesce(sum(amount), 0)::text AS held_by_open_holds, count(*) AS open_holds,
             count(*) FILTER (WHERE lease_until <= now()) AS lapsed_holds
      FROM billing.open_hold`;
  }
}

function heldSums([row]: readonly HeldRow[]): HeldSums {
  return {
    heldByWallets: BigInt(row?.held_by_wallets ?? 0),
    heldByOpenHolds: BigInt(row?.held_by_open_holds ?? 0),
    openHolds: Number(row?.open_holds ?? 0),
    lapsedHolds: Number(row?.lapsed_holds ?? 0),
  };
}
