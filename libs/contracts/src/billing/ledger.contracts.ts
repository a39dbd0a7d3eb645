import { IsString, Length } from 'class-validator';
import { IsBaseUnits, IsId, IsPlainText, IsShortText, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';

/** Asks for the sums that must balance; for tests, operators and metrics. */
export class ShowTrialBalanceRequest {}

export interface TrialBalance {
  /** Σ debits and Σ credits over all accounts: equal. */
  debits: string;
  credits: string;
  accounts: { account: string; debits: string; credits: string }[];
  heldByWallets: string;
  heldByOpenHolds: string;
  openHolds: number;
}

/** Gives a wallet money, at the platform's cost. Errors: invalid_request (404 unknown wallet, 409 the id is another credit's). */
export class CreditWalletRequest {
  @IsWallet()
  wallet!: string;

  /** Given by the caller: a repeat changes nothing. */
  @IsId()
  creditId!: string;

  @IsBaseUnits()
  amount!: string;

  /** For the receipt. */
  @IsString()
  @Length(1, 200)
  @IsShortText(200)
  reason!: string;

  /** Who gives it: a person or a team. */
  @IsString()
  @Length(1, 80)
  @IsPlainText()
  actor!: string;
}

/**
 * Gives the whole charge of one request back, at the platform's cost. Errors: invalid_request (404 unknown request, 409 it was
 * not charged).
 */
export class RefundRequest {
  @IsWallet()
  wallet!: string;

  /** The request's id. */
  @IsId()
  holdId!: string;

  @IsString()
  @Length(1, 200)
  @IsShortText(200)
  reason!: string;

  @IsString()
  @Length(1, 80)
  @IsPlainText()
  actor!: string;
}

export interface CreditOutcome {
  /** `repeated`: it had been given before. */
  state: 'given' | 'repeated';
}

const queue = 'billing';

export const ledgerContracts = {
  showTrialBalance: defineRpc<ShowTrialBalanceRequest, TrialBalance>({
    subject: 'billing.v1.ledger.balance',
    queue,
    timeoutMs: 10_000,
    request: ShowTrialBalanceRequest,
  }),
  creditWallet: defineRpc<CreditWalletRequest, CreditOutcome>({
    subject: 'billing.v1.ledger.credit',
    queue,
    timeoutMs: 3_000,
    request: CreditWalletRequest,
  }),
  refundRequest: defineRpc<RefundRequest, CreditOutcome>({
    subject: 'billing.v1.ledger.refund',
    queue,
    timeoutMs: 3_000,
    request: RefundRequest,
  }),
};
