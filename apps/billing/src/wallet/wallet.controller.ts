import { Controller } from '@nestjs/common';
import {
  JudgeWalletRequest,
  ListWalletsRequest,
  RegisterWalletRequest,
  ShowWalletRequest,
  billingContracts,
} from '@svc/contracts';
import type { WalletPage, WalletPosition } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { WalletListService } from './wallet-list.service';
import { WalletService } from './wallet.service';

@Controller()
export class WalletController {
  constructor(
    private readonly wallets: WalletService,
    private readonly list: WalletListService,
  ) {}

  @HandleRpc(billingContracts.registerWallet)
  register({ wallet }: RegisterWalletRequest): Promise<WalletPosition> {
    return this.wallets.register(wallet);
  }

  @HandleRpc(billingContracts.showWallet)
  show({ wallet }: ShowWalletRequest): Promise<WalletPosition> {
    return this.wallets.show(wallet);
  }

  @HandleRpc(billingContracts.listWallets)
  page(request: ListWalletsRequest): Promise<WalletPage> {
    return this.list.list(request);
  }

  @HandleRpc(billingContracts.suspendWallet)
  suspend({ wallet, reason, actor }: JudgeWalletRequest): Promise<WalletPosition> {
    return this.wallets.suspend({ wallet, reason, actor });
  }

  @HandleRpc(billingContracts.reinstateWallet)
  reinstate({ wallet, reason, actor }: JudgeWalletRequest): Promise<WalletPosition> {
    return this.wallets.reinstate({ wallet, reason, actor });
  }
}
