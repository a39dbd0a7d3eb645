import { Inject, Injectable } from '@nestjs/common';
import { CHAIN_JOB_STATES } from '@svc/contracts';
import type { ChainJobState } from '@svc/contracts';
import type { Earning } from '@svc/contracts-evm';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { Rests } from '../../database/rests';
import { DATABASE } from '../../database/tokens';
import type { Signed } from '../signer/signer-account';
import { TransactionStore } from '../signer/transaction.store';

/** A payout root that was made. */
export interface Payout {
  readonly payoutId: string;
  readonly state: ChainJobState;
  readonly root: string;
  readonly ageMs: number;
  readonly createdAt: Date;
  /** The safe block at which it was seen settled. */
  readonly settledBlock: number | undefined;
}

/** What each provider was paid, and the safe block that it is as of. */
export interface PaidView {
  readonly safeHash: string | undefined;
  readonly paid: ReadonlyMap<string, bigint>;
}

/**
 * How many wallets and dues are gone through in one commit at most, and about how long that may take: where it, or the receipts, would take
 * longer, they are fewer. 40 times as many wallets are looked at for them.
 */
const MOST_DUES_AT_ONCE = 50;
const PIECE_MS = 10;

@Injectable()
export class PayoutStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly transactions: TransactionStore,
    private readonly rests: Rests,
  ) {}

  /**
   * Releases providers' shares of what payers have paid by now at the safe depth, and takes back those of what a
   * reorganisation unpaid. In short commits: receipts are not made while a long one writes.
   * @throws AbortError when the process ends: the rest is released after the next start
   */
  async release(): Promise<void> {
    let beyond: string | null = '';
    let dues = 1;
    while (beyond !== null) {
      this.rests.throwIfLeaving();
      const startedMs = performance.now();
      const [row]: { last: string | null }[] = await this.prisma.$queryRaw<{ last: string | null }[]>`
        SELECT billing.release_shares(${beyond}, ${dues}::integer) AS last`;
      beyond = row?.last ?? null;
      const elapsedMs = performance.now() - startedMs;
      if (elapsedMs > PIECE_MS) dues = Math.ceil(dues / 2);
      else if (elapsedMs < PIECE_MS / 2) dues = Math.min(dues * 2, MOST_DUES_AT_ONCE);
      await this.rests.after(startedMs);
    }
  }

  /** All that was ever released to each provider; in the order of the tree. */
  earnings(): Promise<Earning[]> {
    return this.prisma.$queryRaw<Earning[]>`
      SELECT provider, released AS cumulative FROM billing.provider_released WHERE released > 0 ORDER BY provider`;
  }

  /** The newest root: the only one that counts, once the chain has it. */
  newest(): Promise<Payout | undefined> {
    return this.newestOf(CHAIN_JOB_STATES);
  }

  /** The newest root that the chain was seen to have. */
  newestOnChain(): Promise<Payout | undefined> {
    return this.newestOf(['mined', 'settled']);
  }

  private async newestOf(states: readonly Payout['state'][]): Promise<Payout | undefined> {
    const [row] = await this.prisma.$queryRaw<
      (Pick<Payout, 'state' | 'root'> & {
        payout_id: string;
        age_ms: number;
        created_at: Date;
        settled_block: bigint | null;
      })[]
    >`
      SELECT payout_id, state::text, root, created_at, settled_block,
             (extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS age_ms
      FROM billing.payout WHERE state::text = ANY (${states}) ORDER BY seq DESC LIMIT 1`;
    if (!row) return undefined;
    const { payout_id, state, root, age_ms, created_at, settled_block } = row;
    const settledBlock = settled_block === null ? undefined : Number(settled_block);
    return { payoutId: payout_id, state, root, ageMs: age_ms, createdAt: created_at, settledBlock };
  }

  /** The lines of a root, in the order of their tree. */
  async linesOf(payoutId: string): Promise<Earning[]> {
    return this.prisma.$queryRaw<Earning[]>`
      SELECT provider, cumulative FROM billing.payout_earning WHERE payout_id = ${payoutId} ORDER BY position`;
  }

  /** One commit. @throws LeaseLostError, SettlementPausedError */
  async add(payoutId: string, root: string, earnings: readonly Earning[], signed: Signed): Promise<void> {
    await this.prisma.$transaction(async (commit) => {
      await this.transactions.add(payoutId, signed, commit);
      await commit.$executeRaw`INSERT INTO billing.payout (payout_id, root) VALUES (${payoutId}, ${root})`;
      await commit.$executeRaw`
        INSERT INTO billing.payout_earning (payout_id, position, provider, cumulative)
        SELECT ${payoutId}, line.position - 1, line.provider, line.cumulative
        FROM unnest(${earnings.map(({ provider }) => provider)}::text[],
                    ${earnings.map(({ cumulative }) => String(cumulative))}::text[]::bigint[])
          WITH ORDINALITY AS line (provider, cumulative, position)`;
    });
  }

  async setOpen(payoutId: string, state: Exclude<ChainJobState, 'settled'>): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE billing.payout SET state = ${state}::billing.chain_job_state WHERE payout_id = ${payoutId}`;
  }

  /** The safe depth shows it. By which transaction, and what that cost, wei, as far as it is known. */
  async settled(
    payoutId: string,
    safeHash: string,
    { txHash, gasCost }: { txHash?: string; gasCost?: bigint },
  ): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE billing.payout b SET state = 'settled', settled_at = now(), settled_block = p.safe_number,
             tx_hash = coalesce(${txHash ?? null}, b.tx_hash),
             gas_cost = coalesce(${gasCost === undefined ? null : String(gasCost)}::numeric, b.gas_cost)
      FROM billing.chain_position p WHERE b.payout_id = ${payoutId} AND p.safe_hash = ${safeHash}`;
  }

  /** What is booked as paid. One snapshot. */
  async paidView(): Promise<PaidView> {
    const rows = await this.prisma.$queryRaw<
      { safe_hash: string | null; provider: string | null; paid: bigint }[]
    >`
      SELECT (SELECT safe_hash FROM billing.payout_position) AS safe_hash, p.provider, p.paid_safe AS paid
      FROM (VALUES (1)) one (row) LEFT JOIN billing.provider_paid p ON true`;
    const known = rows.flatMap(({ provider, paid }) =>
      provider === null ? [] : [[provider, paid] as const],
    );
    return { safeHash: rows[0]?.safe_hash ?? undefined, paid: new Map(known) };
  }

  /** What is booked as paid to one provider. */
  async paidTo(provider: string): Promise<bigint> {
    const [row] = await this.prisma.$queryRaw<{ paid: bigint }[]>`
      SELECT paid_safe AS paid FROM billing.provider_paid WHERE provider = ${provider}`;
    return row?.paid ?? 0n;
  }

  /** Everybody who may have been paid: whoever may be in a root, or was seen being paid. */
  async providers(): Promise<string[]> {
    const rows = await this.prisma.$queryRaw<{ provider: string }[]>`
      SELECT provider FROM billing.provider_released UNION SELECT provider FROM billing.provider_paid
      UNION SELECT wallet FROM billing.settlement_event WHERE kind = 'paid' ORDER BY 1`;
    return rows.map(({ provider }) => provider);
  }

  /** Whom events show being paid above a block. */
  async paidSince(block: number): Promise<string[]> {
    const rows = await this.prisma.$queryRaw<{ provider: string }[]>`
      SELECT DISTINCT wallet AS provider FROM billing.settlement_event
      WHERE kind = 'paid' AND block_number > ${block} ORDER BY 1`;
    return rows.map(({ provider }) => provider);
  }

  /**
   * Books what providers were paid as of a safe block, as transfers, in one commit.
   * @param before the safe block that was booked last: another instance may have gone on since, then nothing is done
   */
  async book(before: string | undefined, safeHash: string, paid: ReadonlyMap<string, bigint>): Promise<void> {
    const [providers, amounts] = [[...paid.keys()], [...paid.values()].map(String)];
    await this.prisma.$transaction(async (commit: Prisma.TransactionClient) => {
      await commit.$executeRaw`LOCK TABLE billing.payout_position IN SHARE ROW EXCLUSIVE MODE`;
      const [now] = await commit.$queryRaw<{ safe_hash: string }[]>`
        SELECT safe_hash FROM billing.payout_position`;
      if (now?.safe_hash !== before) return;
      await commit.$executeRaw`
        INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, provider)
        SELECT n.provider, 'chain_' || nextval('billing.chain_reading'), CASE WHEN d.amount > 0 THEN 12 ELSE 13 END,
               (CASE WHEN d.amount > 0 THEN 'payout' ELSE 'unpayout' END)::billing.transfer_kind,
               (CASE WHEN d.amount > 0 THEN 'provider' ELSE 'settled' END)::billing.account,
               (CASE WHEN d.amount > 0 THEN 'settled' ELSE 'provider' END)::billing.account, abs(d.amount), n.provider
        FROM unnest(${providers}::text[], ${amounts}::text[]::bigint[]) AS n (provider, paid)
        LEFT JOIN billing.provider_paid p ON p.provider = n.provider
        CROSS JOIN LATERAL (SELECT n.paid - coalesce(p.paid_safe, 0) AS amount) d WHERE d.amount <> 0`;
      await commit.$executeRaw`
        INSERT INTO billing.provider_paid (provider, paid_safe)
        SELECT * FROM unnest(${providers}::text[], ${amounts}::text[]::bigint[])
        ON CONFLICT (provider) DO UPDATE SET paid_safe = excluded.paid_safe`;
      await commit.$executeRaw`
        INSERT INTO billing.payout_position (safe_hash) VALUES (${safeHash})
        ON CONFLICT (only_row) DO UPDATE SET safe_hash = excluded.safe_hash`;
    });
  }
}
