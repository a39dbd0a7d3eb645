import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { ListAuditRequest } from '../audit';
import type { AuditPage } from '../audit';
import { IsWallet } from '../fields';
import { OperatorAct } from '../operator-act';
import { defineRpc } from '../rpc-contract';
import type { WalletSuspension } from './statement.contracts';
import type { WalletPosition } from './wallet.contracts';

/** The longest page of wallets. */
export const MAX_WALLET_PAGE = 100;

/** Suspends or reinstates a wallet; both stand in the audit trail. Errors: invalid_request (404 unknown wallet). */
export class JudgeWalletRequest extends OperatorAct {
  @IsWallet()
  wallet!: string;
}

/** The field is `next` of a page of wallets. */
export function IsWalletCursor(): PropertyDecorator {
  return Matches(/^(?:suspended|standing)-0x[0-9a-f]{40}$/, {
    message: 'must be the `next` of the page before',
  });
}

/** Lists wallets: those that may not spend first, each part in the order of the addresses. */
export class ListWalletsRequest {
  /** How the address begins. */
  @IsOptional()
  @Matches(/^0x[0-9a-f]{0,40}$/, { message: 'must be the beginning of an address, 0x and hex digits' })
  search?: string;

  /** `next` of the page before. */
  @IsOptional()
  @IsWalletCursor()
  after?: string;

  /** Wallets a page; 50 unless told. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_WALLET_PAGE)
  limit?: number;
}

/** A wallet as those who look after them see it, amounts in base units. */
export interface WalletSummary {
  wallet: string;
  /** UTC. */
  registeredAt: string;
  /** Null while the wallet may spend. */
  suspension: WalletSuspension | null;
  /** min(balance, approved) at the chain's head. */
  limit: string;
  /** All it was ever charged, less what was given back. */
  charged: string;
  held: string;
  /** Charged and not collected at the safe depth; negative after a refund of what was. */
  unsettled: string;
}

export interface WalletPage {
  wallets: WalletSummary[];
  /** `after` of the next page; null when there is none. */
  next: string | null;
}

const queue = 'billing';
const timeoutMs = 3_000;

/** What operators see of wallets, and do to them. */
export const walletOperationContracts = {
  listWallets: defineRpc<ListWalletsRequest, WalletPage>({
    subject: 'billing.v1.wallet.list',
    queue,
    timeoutMs,
    request: ListWalletsRequest,
  }),
  suspendWallet: defineRpc<JudgeWalletRequest, WalletPosition>({
    subject: 'billing.v1.wallet.suspend',
    queue,
    timeoutMs,
    request: JudgeWalletRequest,
  }),
  reinstateWallet: defineRpc<JudgeWalletRequest, WalletPosition>({
    subject: 'billing.v1.wallet.reinstate',
    queue,
    timeoutMs,
    request: JudgeWalletRequest,
  }),
  /** What was done to wallets and to settlement, by whom. */
  listBillingAudit: defineRpc<ListAuditRequest, AuditPage>({
    subject: 'billing.v1.audit.list',
    queue,
    timeoutMs: 5_000,
    request: ListAuditRequest,
  }),
};
