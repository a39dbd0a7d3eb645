import { readSpendable } from '@svc/contracts-evm';
import { Injectable } from '@nestjs/common';
import { ChainConnection, isUnreadable } from '../chain/chain-connection';
import type { Difference } from '../settlement/pause.store';
import { PayoutStore } from '../settlement/payout/payout.store';
import { ChainGateway } from '../settlement/signer/chain-gateway';
import { ReconciliationStore } from './reconciliation.store';

const SETTLED = 'settled in the ledger is pulled on chain, at the safe block';
const PAID = 'paid in the ledger is paid on chain, at the safe block';

/**
 * Compares the ledger with the chain, each at the safe block whose figures the ledger has: what the chain shows since is not
 * a difference, only not yet. Where that block is no longer on the chain there is nothing to compare.
 */
@Injectable()
export class ChainChecks {
  constructor(
    private readonly store: ReconciliationStore,
    private readonly payouts: PayoutStore,
    private readonly chain: ChainGateway,
    private readonly connection: ChainConnection,
  ) {}

  /** The sums over everybody. @throws the chain's errors when it does not answer */
  async totals(): Promise<Difference[]> {
    return [...(await this.settled()), ...(await this.paid())];
  }

  /** Wallet by wallet. @throws as `totals` */
  async wallets(): Promise<Difference[]> {
    const { safeHash, settled } = await this.store.settledByWallet();
    if (safeHash === undefined) return [];
    const { usdc, settlement } = this.connection.options;
    const provider = await this.connection.open();
    const wallets = [...settled.keys()];
    const readings = await readSpendable(provider, { usdc, settlement, wallets, blockTag: safeHash }).catch(
      undefinedIfUnreadable,
    );
    return (readings ?? []).flatMap(({ wallet, pulled }) =>
      different(SETTLED, wallet, pulled, settled.get(wallet) ?? 0n),
    );
  }

  private async settled(): Promise<Difference[]> {
    const view = await this.store.settledView();
    if (!view) return [];
    const pulled = await this.chain.totalPulled(view.safeHash).catch(undefinedIfUnreadable);
    return different(SETTLED, undefined, pulled, view.settled);
  }

  private async paid(): Promise<Difference[]> {
    const { safeHash, paid } = await this.payouts.paidView();
    if (safeHash === undefined) return [];
    const onChain = await this.chain.totalPaid(safeHash).catch(undefinedIfUnreadable);
    return different(
      PAID,
      undefined,
      onChain,
      [...paid.values()].reduce((total, amount) => total + amount, 0n),
    );
  }
}

function different(
  rule: string,
  subject: string | undefined,
  expected: bigint | undefined,
  actual: bigint,
): Difference[] {
  if (expected === undefined || expected === actual) return [];
  return [
    {
      rule,
      ...(subject === undefined ? {} : { subject }),
      expected: String(expected),
      actual: String(actual),
    },
  ];
}

function undefinedIfUnreadable(error: unknown): undefined {
  if (isUnreadable(error)) return undefined;
  throw error;
}
