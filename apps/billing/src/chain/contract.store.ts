import { Inject, Injectable } from '@nestjs/common';
import { ChainError } from '@svc/contracts-evm';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import { tablesAway } from './chain-tables-away.error';

interface LedgerContract {
  readonly chainId: number | bigint;
  /** Addresses, in any case. */
  readonly settlement: string;
  readonly usdc: string;
}

/** Which contract the ledger belongs to. */
@Injectable()
export class ContractStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /**
   * Binds the ledger to a contract, for good, unless it is bound already. What wallets have paid is what the contract says that it has
   * pulled from them: another one says nothing, and everything that was ever charged would be collected again.
   * @throws ChainError (`wrong_contract`) when it is bound to another; ChainTablesAwayError
   */
  async bind({ chainId, settlement, usdc }: LedgerContract): Promise<void> {
    const own = { chainId, settlement: settlement.toLowerCase(), usdc: usdc.toLowerCase() };
    const bound = await this.boundTo(own).catch(tablesAway);
    const is = (one: LedgerContract) => `${one.settlement} (chain ${one.chainId}, token ${one.usdc})`;
    if (is(bound) === is(own)) return;
    throw new ChainError(
      'wrong_contract',
      `the ledger belongs to the contract ${is(bound)}, not ${is(own)}: see docs/deployment.md`,
    );
  }

  private async boundTo({ chainId, settlement, usdc }: LedgerContract): Promise<LedgerContract> {
    // Of several that start at once on a new ledger one is first, and the others see it in what they read then.
    await this.prisma.$executeRaw`
      INSERT INTO billing.chain_contract (chain_id, settlement, usdc) VALUES (${chainId}, ${settlement}, ${usdc})
      ON CONFLICT DO NOTHING`;
    const [bound] = await this.prisma.$queryRaw<[LedgerContract]>`
      SELECT chain_id AS "chainId", settlement, usdc FROM billing.chain_contract`;
    return bound;
  }
}
