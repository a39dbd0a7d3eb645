import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { IsWallet } from '../fields';
import { IsActor, IsReason } from '../operator-act';
import { defineRpc } from '../rpc-contract';

/** The longest page of batches. */
const MAX_BATCH_PAGE = 200;

/** The field is a batch id: 32 bytes in hex, lower case. */
export function IsBatchId(): PropertyDecorator {
  return Matches(/^0x[0-9a-f]{64}$/, { message: 'must be 32 bytes in lower-case hex' });
}

/**
 * How far a batch or a payout root has come. `signed`: not seen on chain yet. `mined`: the chain's head shows it. `settled`: so does the
 * safe depth.
 */
export const CHAIN_JOB_STATES = ['signed', 'mined', 'settled'] as const;
export type ChainJobState = (typeof CHAIN_JOB_STATES)[number];

/** Asks for settlement batches, the newest first. */
export class ListBatchesRequest {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_BATCH_PAGE)
  limit?: number;

  /** Where the page before ended: its `next`. */
  @IsOptional()
  @IsBatchId()
  before?: string;
}

/** Asks for one batch and its dues. Errors: invalid_request (404 unknown batch). */
export class ShowBatchRequest {
  @IsBatchId()
  batchId!: string;
}

/** A settlement batch; amounts in base units (10^-6 USDC). */
export interface BatchSummary {
  batchId: string;
  /** `signed`: not seen on chain yet. `mined`: the chain's head shows it. `settled`: so does the safe depth. */
  state: ChainJobState;
  /** Merkle root of its dues, as the contract keeps it. */
  root: string;
  dues: number;
  receipts: number;
  /** What its receipts add up to. */
  amount: string;
  /** What it pulled, as the chain's head shows it: more or less than `amount`, for earlier dues are asked for again. */
  pulled: string;
  failedPulls: number;
  createdAt: string;
  settledAt: string | null;
  /** The transaction that did it; while that is not known, the one that was last signed. */
  txHash: string | null;
  /** Wei; null until it is settled. */
  gasCost: string | null;
}

export interface BatchPage {
  batches: BatchSummary[];
  /** For the next page's `before`; null on the last. */
  next: string | null;
}

/** One wallet's line in a batch. */
export interface BatchDue {
  wallet: string;
  /** All it had owed before, and with, this batch's receipts. */
  previous: string;
  cumulative: string;
  payerRoot: string;
  /** What this batch pulled from it. */
  pulled: string;
  /** The token refused the pull. */
  failed: boolean;
}

/** A transaction that was signed for a batch. */
export interface BatchTransaction {
  txHash: string;
  nonce: string;
  /** Wei. */
  maxFeePerGas: string;
  signedAt: string;
  broadcast: boolean;
}

export interface BatchView extends BatchSummary {
  lines: BatchDue[];
  /** Every transaction signed for it, the oldest first. */
  transactions: BatchTransaction[];
}

/** Asks how settlement stands. */
export class ShowSettlementRequest {}

/** Two figures that must agree and do not. */
export interface SettlementDifference {
  rule: string;
  subject: string | null;
  expected: string;
  actual: string;
}

/** Figures may be two seconds old. */
export interface SettlementView {
  /** What the instance that answered is doing: `standby` when another one signs, `off` without a key. */
  state: string;
  detail: string | null;
  /** Why nothing is collected; empty when it is. */
  pauses: { reason: string; actor: string; pausedAt: string; differences: SettlementDifference[] }[];
  /** What wallets owe beyond what the chain has collected, at the safe depth. */
  unsettled: string;
  /** Wallets that are known, and those that operators suspended. */
  wallets: number;
  suspendedWallets: number;
  /** Wallets suspended because what they owe could not be pulled. */
  failedWallets: number;
  openBatches: number;
  /** When figures were last compared, cheaply and in full; null before. */
  reconciledAt: string | null;
  fullyReconciledAt: string | null;
}

/** Stops settlement: nothing more is signed or sent until it is resumed. */
export class PauseSettlementRequest {
  @IsReason()
  reason!: string;

  /** Who does it: a person, a team, an operator's wallet. */
  @IsActor({ reserved: 'reconciliation' })
  actor!: string;
}

/** Ends every pause, also one that reconciliation made. What still differs pauses it again. */
export class ResumeSettlementRequest extends PauseSettlementRequest {}

/** Asks for what a provider can claim on chain. Errors: invalid_request (404 it has earned nothing that is published). */
export class ShowClaimRequest {
  @IsWallet()
  provider!: string;
}

/** The arguments of the contract's `claim`, which anybody may send: the tokens go to the provider. */
export interface ClaimView {
  provider: string;
  /** Of all it ever earned, what payers had paid for at the safe depth when the root was made, base units. */
  cumulative: string;
  proof: string[];
  root: string;
  /** `signed`: the root is not seen on chain yet, claims are refused, and there is nothing to claim by the root before it. */
  state: ChainJobState;
  publishedAt: string;
  /** All that the contract ever paid it, at the safe depth. What a claim moves now is `cumulative` less this. */
  paid: string;
}

const queue = 'billing';

export const settlementContracts = {
  listBatches: defineRpc<ListBatchesRequest, BatchPage>({
    subject: 'billing.v1.settlement.list',
    queue,
    timeoutMs: 5_000,
    request: ListBatchesRequest,
  }),
  showBatch: defineRpc<ShowBatchRequest, BatchView>({
    subject: 'billing.v1.settlement.batch',
    queue,
    timeoutMs: 5_000,
    request: ShowBatchRequest,
  }),
  showSettlement: defineRpc<ShowSettlementRequest, SettlementView>({
    subject: 'billing.v1.settlement.show',
    queue,
    timeoutMs: 5_000,
    request: ShowSettlementRequest,
  }),
  pauseSettlement: defineRpc<PauseSettlementRequest, SettlementView>({
    subject: 'billing.v1.settlement.pause',
    queue,
    timeoutMs: 5_000,
    request: PauseSettlementRequest,
  }),
  resumeSettlement: defineRpc<ResumeSettlementRequest, SettlementView>({
    subject: 'billing.v1.settlement.resume',
    queue,
    timeoutMs: 5_000,
    request: ResumeSettlementRequest,
  }),
  showClaim: defineRpc<ShowClaimRequest, ClaimView>({
    subject: 'billing.v1.payout.claim',
    queue,
    timeoutMs: 5_000,
    request: ShowClaimRequest,
  }),
};
