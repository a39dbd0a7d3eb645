import { IsString, Length } from 'class-validator';
import { IsBaseUnits, IsId, IsShortText, IsWallet } from '../fields';
import { IsActor, MOST_REASON_CHARS } from '../operator-act';
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

/** What an operator gives, and why. */
class GivingAct {
  /** For the receipt. */
  // Its table counts characters as well that only change how another looks.
  @IsString()
  @Length(1, MOST_REASON_CHARS)
  @IsShortText(MOST_REASON_CHARS)
  reason!: string;

  /** Who gives it: a person or a team. */
  @IsActor()
  actor!: string;
}

/** Gives a wallet money, at the platform's cost. Errors: invalid_request (404 unknown wallet, 409 the id is another credit's). */
export class CreditWalletRequest extends GivingAct {
  @IsWallet()
  wallet!: string;

  /** Given by the caller: a repeat changes nothing. */
  @IsId()
  creditId!: string;

  @IsBaseUnits()
  amount!: string;
}

/**
 * Gives the whole charge of one request back, at the platform's cost. Errors: invalid_request (404 unknown request, 409 it was
 * not charged).
 */
export class RefundRequest extends GivingAct {
  @IsWallet()
  wallet!: string;

  /** The request's id. */
  @IsId()
  holdId!: string;
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
