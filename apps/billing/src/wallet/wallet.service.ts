import { Inject, Injectable } from '@nestjs/common';
import type { JudgeWalletRequest, WalletPosition } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { ChainWatcher } from '../chain/chain-watcher.service';
import { unknownWallet } from './unknown-wallet';
import { WalletStore } from './wallet.store';
import type { WalletRow } from './wallet.store';

/** Wallets: what they may spend, and whether they may spend at all. */
@Injectable()
export class WalletService {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: WalletStore,
    private readonly chain: ChainWatcher,
  ) {}

  /** Makes a wallet known and reads it from the chain; with the chain away it can spend nothing until that is back. */
  async register(wallet: string): Promise<WalletPosition> {
    await this.store.add(wallet);
    await this.chain.refresh(wallet);
    return this.show(wallet);
  }

  /** @throws SvcError invalid_request (404) for an unknown wallet, as everything below */
  async show(wallet: string): Promise<WalletPosition> {
    const row = await this.store.find(wallet);
    if (!row) throw unknownWallet();
    return positionOf(row);
  }

  async suspend(request: JudgeWalletRequest): Promise<WalletPosition> {
    if (!(await this.store.suspend(request))) throw unknownWallet();
    this.logger.warn(request, 'wallet suspended');
    return this.show(request.wallet);
  }

  async reinstate(request: JudgeWalletRequest): Promise<WalletPosition> {
    if (!(await this.store.reinstate(request))) throw unknownWallet();
    this.logger.warn(request, 'wallet reinstated');
    return this.show(request.wallet);
  }
}

function positionOf(row: WalletRow): WalletPosition {
  return {
    wallet: row.wallet,
    suspended: row.suspended,
    limitHead: String(row.limit_head),
    limitSafe: String(row.limit_safe),
    held: String(row.held),
    charged: String(row.owed),
    unsettled: String(atLeastZero(row.owed - row.settled_safe)),
    spendable: String(atLeastZero(row.headroom)),
    openHolds: Number(row.open_holds),
  };
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}
