import { readSpendable } from '@svc/contracts-evm';
import { Injectable } from '@nestjs/common';
import { ChainConnection, isUnreadable } from '../chain/chain-connection';
import type { Difference } from '../settlement/pause.store';
import { ChainGateway } from '../settlement/signer/chain-gateway';
import { ReconciliationStore } from './reconciliation.store';

const SETTLED = 'settled in the ledger is pulled on chain, at the safe block';
const PAID = 'paid in the ledger is paid on chain, at the safe block';

/**
 * Compares the ledger with the chain, both at the safe block whose figures the ledger has: what the chain shows since is not
 * a difference, only not yet. Where that block is no longer on the chain there is nothing to compare.
 */
@Injectable()
export class ChainChecks {
  constructor(
    private readonly store: ReconciliationStore,
    private readonly chain: ChainGateway,
    private readonly connection: ChainConnection,
  ) {}

  /** The sums over everybody. @throws the chain's errors when it does not answer */
  async totals(): Promise<Difference[]> {
    const view = await this.store.settledView();
    if (!view) return [];
    const { safeHash, settled, paid } = view;
    const [pulledOnChain, paidOnChain] = await Promise.all([
      this.chain.totalPulled(safeHash).catch(undefinedIfUnreadable),
      this.chain.totalPaid(safeHash).catch(undefinedIfUnreadable),
    ]);
    return [
      ...different(SETTLED, undefined, pulledOnChain, settled),
      ...different(PAID, undefined, paidOnChain, paid),
    ];
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
