import { Inject, Injectable } from '@nestjs/common';
import type { Due } from '@svc/contracts-evm';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** A batch as far as proofs need it. */
interface BatchOfDues {
  readonly onChain: boolean;
  /** In the order of their tree. */
  readonly dues: Due[];
}

interface DueRow {
  on_chain: boolean;
  payer: string;
  cumulative: bigint;
  root: string;
}

@Injectable()
export class BatchProofStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  async find(batchId: string): Promise<BatchOfDues> {
    const rows = await this.prisma.$queryRaw<DueRow[]>`
      SELECT b.state <> 'signed' AS on_chain, d.wallet AS payer, coalesce(d.asked, d.cumulative) AS cumulative,
             d.payer_root::text AS root
      FROM billing.settlement_batch b JOIN billing.settlement_due d USING (batch_id)
      WHERE b.batch_id = ${batchId} ORDER BY d.position`;
    return {
      onChain: rows[0]?.on_chain ?? false,
      dues: rows.map(({ payer, cumulative, root }) => ({ payer, cumulative, root })),
    };
  }

  /** Whether the ledger has such a charge or credit that should have a receipt, projected yet or not. */
  async isDue(wallet: string, id: string, kind: string): Promise<boolean> {
    const rows = await this.prisma.$queryRaw<unknown[]>`
      SELECT FROM billing.usage_record WHERE ${kind} = 'usage' AND wallet = ${wallet} AND hold_id = ${id} AND NOT late
      UNION ALL
      SELECT FROM billing.credit WHERE wallet = ${wallet} AND kind = ${kind} AND credit_id = ${id}`;
    return rows.length > 0;
  }
}
