import { IsString, Length, Matches } from 'class-validator';
import { IsSignature, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';

/** Makes a wallet known, reads its balance and approval from the chain. Repeating it is harmless. */
export class RegisterWalletRequest {
  @IsWallet()
  wallet!: string;
}

/** Asks for a wallet's position. Errors: invalid_request (404 unknown wallet). */
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
  /**
   * Of that, what is not settled at the chain's safe depth yet; never negative, unlike a statement's: where more was collected than is owed
   * it is 0.
   */
  unsettled: string;
  /**
   * What balance and approval leave beside what is held and unsettled; never negative. Unlike that of a statement's position it takes in
   * neither a suspension nor the cap on what may be unsettled.
   */
  spendable: string;
  openHolds: number;
}

/** The longest message that signatures are checked under: one of sign-in has some hundred characters. */
export const MAX_SIGNED_MESSAGE = 4_000;

/**
 * Whether a wallet signed a text (EIP-191, `personal_sign`): by its account's key, or by its own word when it is a contract (EIP-1271).
 * Errors: no_capacity when only the chain could tell and it is away.
 */
export class VerifySignatureRequest {
  @IsWallet()
  wallet!: string;

  @IsString()
  @Length(1, MAX_SIGNED_MESSAGE)
  // What is signed are its bytes in UTF-8.
  @Matches(/^\P{Cs}*$/u, { message: 'must not hold half surrogates' })
  message!: string;

  @IsSignature()
  signature!: string;
}

export interface VerifiedSignature {
  isValid: boolean;
}

const queue = 'billing';

export const walletContracts = {
  verifySignature: defineRpc<VerifySignatureRequest, VerifiedSignature>({
    subject: 'billing.v1.wallet.verify',
    queue,
    timeoutMs: 5_000,
    request: VerifySignatureRequest,
  }),
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
