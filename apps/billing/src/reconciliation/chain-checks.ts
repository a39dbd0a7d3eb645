import { isChainError, isUnknownCall, readMeans } from '@svc/contracts-evm';
import type { WalletMeans } from '@svc/contracts-evm';
import { Injectable } from '@nestjs/common';
import { ChainConnection, isUnreadable } from '../chain/chain-connection';
import { Rests } from '../database/rests';
import type { Difference } from '../settlement/pause.store';
import { PayoutStore } from '../settlement/payout/payout.store';
import { ChainGateway } from '../settlement/signer/chain-gateway';
import { MOST_DIFFERENCES, ReconciliationStore } from './reconciliation.store';

const SETTLED = 'settled in the ledger is pulled on chain, at the safe block';
const PAID = 'paid in the ledger is paid on chain, at the safe block';
/** As many as are in memory, and the chain is asked about, at once: between two pieces the process may end. */
const WALLETS_PER_PIECE = 4_000;
/** One call each. */
const PROVIDERS_PER_PIECE = 16;

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

  /**
   * Wallet by wallet: piece by piece, each as of the block that the ledger has then.
   * @returns what differs; where it could not go on to the end, what it had found until then
   * @throws as `totals`, if nothing was found; AbortError when the process ends
   */
  async wallets(): Promise<Difference[]> {
    const differences: Difference[] = [];
    let beyond: string | undefined = '';
    while (beyond !== undefined && differences.length < MOST_DIFFERENCES) {
      this.rests.throwIfLeaving();
      const { safeHash, settled } = await this.store.settledByWallet(beyond, WALLETS_PER_PIECE);
      const wallets = [...settled.keys()];
      beyond = wallets.length < WALLETS_PER_PIECE ? undefined : wallets.at(-1);
      if (safeHash === undefined) continue;
      let readings: WalletMeans[] | undefined;
      try {
        readings = await this.ifReadable(safeHash, this.readAt(safeHash, wallets));
      } catch (error) {
        if (differences.length === 0) throw error;
        break;
      }
      for (const { wallet, pulled } of readings ?? [])
        differences.push(...different(SETTLED, wallet, pulled, settled.get(wallet) ?? 0n));
    }
    return differences.slice(0, MOST_DIFFERENCES);
  }

  /**
   * Provider by provider, all as of the block that the ledger has now: of a market's few, that takes seconds.
   * @returns @throws as `wallets`
   */
  async providers(): Promise<Difference[]> {
    const { safeHash, paid } = await this.payouts.paidView();
    if (safeHash === undefined) return [];
    const differences: Difference[] = [];
    const providers = await this.payouts.providers();
    for (let next = 0; next < providers.length && differences.length < MOST_DIFFERENCES;) {
      this.rests.throwIfLeaving();
      const piece = providers.slice(next, (next += PROVIDERS_PER_PIECE));
      try {
        const read = Promise.all(piece.map((provider) => this.chain.paid(provider, safeHash)));
        const onChain = await this.ifReadable(safeHash, read);
        for (const [at, provider] of piece.entries())
          differences.push(...different(PAID, provider, onChain?.[at], paid.get(provider) ?? 0n));
      } catch (error) {
        if (differences.length === 0) throw error;
        break;
      }
    }
    return differences.slice(0, MOST_DIFFERENCES);
  }

  private async readAt(blockTag: string, wallets: readonly string[]): Promise<WalletMeans[]> {
    const { usdc, settlement } = this.connection.options;
    return readMeans(await this.connection.open(), { usdc, settlement, wallets, blockTag });
  }

  private async settled(): Promise<Difference[]> {
    const view = await this.store.settledView();
    if (!view) return [];
    const pulled = await this.ifReadable(view.safeHash, this.chain.totalPulled(view.safeHash));
    return different(SETTLED, undefined, pulled, view.settled);
  }

  private async paid(): Promise<Difference[]> {
    const { safeHash, paid } = await this.payouts.paidView();
    if (safeHash === undefined) return [];
    const onChain = await this.ifReadable(safeHash, this.chain.totalPaid(safeHash));
    return different(
      PAID,
      undefined,
      onChain,
      [...paid.values()].reduce((total, amount) => total + amount, 0n),
    );
  }

  /**
   * Undefined where there is nothing to compare: the block is no longer on the chain, or the contract was not there yet.
   * @throws what hindered the reading: a node that has the block and does not say does not say that nothing differs
   */
  private async ifReadable<Reading>(block: string, reading: Promise<Reading>): Promise<Reading | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (isChainError(error, 'no_contract') || isUnknownCall(error)) return undefined;
      if (isUnreadable(error) && (await this.chain.numberOf(block)) === undefined) return undefined;
      throw error;
    }
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
