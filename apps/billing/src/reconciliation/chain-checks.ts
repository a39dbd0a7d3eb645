import { readSpendable } from '@svc/contracts-evm';
import type { SpendableReading } from '@svc/contracts-evm';
import { Injectable } from '@nestjs/common';
import { ChainConnection, isUnreadable } from '../chain/chain-connection';
import { Rests } from '../database/rests';
import type { Difference } from '../settlement/pause.store';
import { PayoutStore } from '../settlement/payout/payout.store';
import { ChainGateway } from '../settlement/signer/chain-gateway';
import { ReconciliationStore } from './reconciliation.store';

const SETTLED = 'settled in the ledger is pulled on chain, at the safe block';
const PAID = 'paid in the ledger is paid on chain, at the safe block';
/** As many as the chain is asked about at once: between two pieces the process may end. */
const WALLETS_PER_PIECE = 4_000;

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
    private readonly rests: Rests,
  ) {}

  /** The sums over everybody. @throws the chain's errors when it does not answer */
  async totals(): Promise<Difference[]> {
    return [...(await this.settled()), ...(await this.paid())];
  }

  /** Wallet by wallet. @throws as `totals`; AbortError when the process ends */
  async wallets(): Promise<Difference[]> {
    const { safeHash, settled } = await this.store.settledByWallet();
    if (safeHash === undefined) return [];
    const readings = await this.readAt(safeHash, [...settled.keys()]).catch(undefinedIfUnreadable);
    return (readings ?? []).flatMap(({ wallet, pulled }) =>
      different(SETTLED, wallet, pulled, settled.get(wallet) ?? 0n),
    );
  }

  private async readAt(blockTag: string, wallets: readonly string[]): Promise<SpendableReading[]> {
    const { usdc, settlement } = this.connection.options;
    const provider = await this.connection.open();
    const readings: SpendableReading[] = [];
    for (let from = 0; from < wallets.length; from += WALLETS_PER_PIECE) {
      this.rests.throwIfLeaving();
      const piece = wallets.slice(from, from + WALLETS_PER_PIECE);
      readings.push(...(await readSpendable(provider, { usdc, settlement, wallets: piece, blockTag })));
    }
    return readings;
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
