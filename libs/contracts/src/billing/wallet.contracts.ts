import { IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';

/** Makes a wallet known, reads its balance and approval from the chain. Repeating it is harmless. */
export class RegisterWalletRequest {
  @IsWallet()
  wallet!: string;
}

export class ShowWalletRequest {
  @IsWallet()
  wallet!: string;
}

/** A wallet's position, every amount in base units. */
export interface WalletPosition {
  wallet: string;
  suspended: boolean;
  /** min(balance, allowance) as the chain's head and its safe depth show it. */
  limitHead: string;
  limitSafe: string;
  held: string;
  /** All it was ever charged, less what was given back. */
  charged: string;
  /** Of that, what is not settled on chain yet. */
  unsettled: string;
  /** What may still be held: negative never. */
  spendable: string;
  openHolds: number;
}

const queue = 'billing';

export const walletContracts = {
  registerWallet: defineRpc<RegisterWalletRequest, WalletPosition>({
    subject: 'billing.v1.wallet.register',
    queue,
    timeoutMs: 10_000,
    request: RegisterWalletRequest,
  }),
  showWallet: defineRpc<ShowWalletRequest, WalletPosition>({
    subject: 'billing.v1.wallet.show',
    queue,
    timeoutMs: 3_000,
    request: ShowWalletRequest,
  }),
};
