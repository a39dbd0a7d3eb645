import { Controller } from '@nestjs/common';
import {
  RegisterWalletRequest,
  ReinstateWalletRequest,
  ShowWalletRequest,
  SuspendWalletRequest,
  billingContracts,
} from '@svc/contracts';
import type { WalletPosition } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { WalletService } from './wallet.service';

@Controller()
export class WalletController {
  constructor(private readonly wallets: WalletService) {}

  @HandleRpc(billingContracts.registerWallet)
  register({ wallet }: RegisterWalletRequest): Promise<WalletPosition> {
    return this.wallets.register(wallet);
  }

  @HandleRpc(billingContracts.showWallet)
  show({ wallet }: ShowWalletRequest): Promise<WalletPosition> {
    return this.wallets.show(wallet);
  }

  @HandleRpc(billingContracts.suspendWallet)
  suspend({ wallet, reason }: SuspendWalletRequest): Promise<WalletPosition> {
    return this.wallets.suspend(wallet, reason);
  }

  @HandleRpc(billingContracts.reinstateWallet)
  reinstate({ wallet }: ReinstateWalletRequest): Promise<WalletPosition> {
    return this.wallets.reinstate(wallet);
  }
}
