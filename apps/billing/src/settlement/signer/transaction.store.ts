import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../../database/tokens';
import { PauseStore, SettlementPausedError } from '../pause.store';
import type { Fees } from './fees';
import type { Signed } from './signer-account';
import { SignerLeaseStore } from './signer-lease.store';

/** A transaction that was signed at some time. */
export interface StoredTransaction {
  readonly signer: string;
  readonly hash: string;
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly fees: Fees;
  readonly raw: string;
  /** Since it was signed, by the database's clock. */
  readonly ageMs: number;
}

interface Row {
  signer: string;
  tx_hash: string;
  nonce: bigint;
  gas_limit: bigint;
  max_fee_per_gas: string;
  max_priority_fee_per_gas: string;
  raw: string;
  age_ms: number;
}

const COLUMNS = Prisma.sql`
  signer, tx_hash, nonce, gas_limit, max_fee_per_gas::text, max_priority_fee_per_gas::text, raw,
  (extract(epoch FROM clock_timestamp() - signed_at) * 1000)::float8 AS age_ms`;

/** Keeps the bytes of every transaction before anybody else sees them. */
@Injectable()
export class TransactionStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly leases: SignerLeaseStore,
    private readonly pauses: PauseStore,
  ) {}

  /** All that were signed for a job, oldest first. */
  async of(jobId: string): Promise<StoredTransaction[]> {
    const rows = await this.prisma.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM billing.chain_transaction WHERE job_id = ${jobId} ORDER BY seq`;
    return rows.map(transactionOf);
  }

  /** The last that an account signed for a job. Those of another, whose key was taken away, have nonces of their own. */
  async latest(jobId: string, signer: string): Promise<StoredTransaction | undefined> {
    const [row] = await this.prisma.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM billing.chain_transaction WHERE job_id = ${jobId} AND signer = ${signer}
      ORDER BY seq DESC LIMIT 1`;
    return row && transactionOf(row);
  }

  /** Whether another signer, whose lease somebody holds, has signed for a job within the last `withinMs`. */
  async isAnothers(jobId: string, signer: string, withinMs: number): Promise<boolean> {
    const [row] = await this.prisma.$queryRaw<{ found: boolean }[]>`
      SELECT EXISTS (
        SELECT FROM billing.chain_transaction t JOIN billing.signer_lease l ON l.signer = t.signer
        WHERE t.job_id = ${jobId} AND t.signer <> ${signer} AND l.lease_until > clock_timestamp()
          AND t.signed_at BETWEEN clock_timestamp() - ${withinMs} * interval '1 millisecond' AND clock_timestamp()
      ) AS found`;
    return row?.found ?? false;
  }

  /**
   * As part of a commit, for whoever holds the signer's lease, unless settlement is paused by then. Both are locked until the commit.
   * @throws LeaseLostError, SettlementPausedError
   */
  async add(jobId: string, signed: Signed, commit: Prisma.TransactionClient): Promise<void> {
    await this.leases.require(signed.signer, commit);
    await this.pauses.requireNone(commit);
    // The same bytes again are the same transaction: signatures are deterministic (RFC 6979).
    await commit.$executeRaw`
      INSERT INTO billing.chain_transaction
        (tx_hash, job_id, signer, nonce, gas_limit, max_fee_per_gas, max_priority_fee_per_gas, raw)
      VALUES (${signed.hash}, ${jobId}, ${signed.signer}, ${signed.nonce}, ${signed.gasLimit},
              ${String(signed.fees.maxFeePerGas)}::numeric, ${String(signed.fees.maxPriorityFeePerGas)}::numeric,
              ${signed.raw})
      ON CONFLICT (tx_hash) DO UPDATE SET signed_at = clock_timestamp(), seq = DEFAULT`;
  }

  /** In a commit of its own. @throws LeaseLostError, SettlementPausedError */
  async addAlone(jobId: string, signed: Signed): Promise<void> {
    await this.prisma.$transaction((commit) => this.add(jobId, signed, commit));
  }

  /**
   * Says that from now on a server may have it. Asked once more whether settlement is paused: between a transaction's commit and its way out
   * the chain is asked this and that.
   * @throws SettlementPausedError; then nothing was said, and it must not go out
   */
  async markBroadcast(hash: string): Promise<void> {
    const [row] = await this.prisma.$queryRaw<{ paused: boolean }[]>`
      WITH standing AS (
        SELECT FROM billing.settlement_pause WHERE resumed_at IS NULL
      ), marked AS (
        UPDATE billing.chain_transaction SET broadcast_at = clock_timestamp()
        WHERE tx_hash = ${hash} AND broadcast_at IS NULL AND NOT EXISTS (SELECT FROM standing)
      )
      SELECT EXISTS (SELECT FROM standing) AS paused`;
    if (row?.paused) throw new SettlementPausedError('settlement is paused');
  }
}

function transactionOf(row: Row): StoredTransaction {
  return {
    signer: row.signer,
    hash: row.tx_hash,
    nonce: Number(row.nonce),
    gasLimit: row.gas_limit,
    fees: {
      maxFeePerGas: BigInt(row.max_fee_per_gas),
      maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
    },
    raw: row.raw,
    ageMs: row.age_ms,
  };
}
