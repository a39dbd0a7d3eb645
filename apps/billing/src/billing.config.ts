import { EVM_ADDRESS, Env, Fits, HTTP_URL, POSTGRES_URL, PRIVATE_KEY, ServiceConfig } from '@svc/config';
import { Checked } from '@svc/validation';
import { IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';

export class BillingConfig extends ServiceConfig {
  /** Billing's own role: it reaches the schema `billing` and nothing else. */
  @Env('DATABASE_URL')
  @IsString()
  @Fits(POSTGRES_URL)
  databaseUrl!: string;

  @Env('CHAIN_RPC_URL')
  @Fits(HTTP_URL)
  chainRpcUrl!: string;

  @Env('CHAIN_ID')
  @IsInt()
  @Min(1)
  chainId!: number;

  /** The token that is spent. */
  @Env('CHAIN_USDC_ADDRESS')
  @Fits(EVM_ADDRESS)
  chainUsdcAddress!: string;

  /** The contract that wallets approve, and that collects what they were charged. */
  @Env('CHAIN_SETTLEMENT_ADDRESS')
  @Fits(EVM_ADDRESS)
  chainSettlementAddress!: string;

  /** How many blocks deep the safe view lies below the head: from there on a rise of what a wallet has counts. */
  @Env('CHAIN_CONFIRMATIONS')
  @IsInt()
  @Min(0)
  @Max(100_000)
  chainConfirmations: number = 12;

  /** How often the chain is asked for a new block. */
  @Env('CHAIN_POLL_MS')
  @IsInt()
  @Min(50)
  @Max(60_000)
  chainPollMs: number = 1_000;

  /** The most that a wallet may owe and have held beyond what the chain has collected, base units (10^-6 USDC). */
  @Env('UNSETTLED_CAP')
  // Up to a million USDC: what is owed in a year stays far within BIGINT.
  @Matches(/^(?:0|[1-9][0-9]{0,11}|1000000000000)$/, { message: 'must be base units, at most 10^12' })
  unsettledCap: string = '100000000';

  /** How long a hold stands without a sign of life from the dispatch that works on it. */
  @Env('HOLD_LEASE_MS')
  @IsInt()
  @Min(1_000)
  @Max(3_600_000)
  holdLeaseMs: number = 60_000;

  /**
   * How many bytes are kept of replies to idempotent requests, all together; one wallet may have a sixteenth of it. Beyond that requests are served and
   * charged as ever, and their repeats are refused.
   */
  @Env('STORED_RESPONSES_MAX_BYTES')
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  storedResponsesMaxBytes: number = 20 * 1024 ** 3;

  /** The provider's share of a charge in basis points; the platform keeps the rest. */
  @Env('PROVIDER_SHARE_BPS')
  @IsInt()
  @Min(0)
  @Max(10_000)
  providerShareBps: number = 9_000;

  /** Signs settlement batches; without it nothing is collected. Never logged. */
  @Env('SETTLER_KEY')
  @IsOptional()
  @Fits(PRIVATE_KEY)
  settlerKey?: string;

  /** Signs payout roots, so that providers can claim what they earned; without it none is published. Never logged. */
  @Env('PAYER_KEY')
  @IsOptional()
  @Fits(PRIVATE_KEY)
  @Checked(anotherThanSettlerKey)
  payerKey?: string;

  /** How often what wallets owe is collected; sooner for a wallet that owes half of what it may. */
  @Env('SETTLEMENT_INTERVAL_MS')
  @IsInt()
  @Min(100)
  @Max(86_400_000)
  settlementIntervalMs: number = 600_000;

  /** A smaller due waits until it is so large, base units: to collect one costs gas. 0 has none wait. */
  @Env('SETTLEMENT_MIN_DUE')
  @Matches(/^(?:0|[1-9][0-9]{0,11}|1000000000000)$/, { message: 'must be base units, at most 10^12' })
  settlementMinDue: string = '10000';

  /** How long a smaller due waits at most. */
  @Env('SETTLEMENT_MIN_DUE_WAIT_MS')
  @IsInt()
  @Min(0)
  @Max(31_536_000_000)
  settlementMinDueWaitMs: number = 604_800_000;

  /** The most wallets in one batch; the contract takes 250. */
  @Env('SETTLEMENT_MAX_DUES')
  @IsInt()
  @Min(1)
  @Max(250)
  settlementMaxDues: number = 200;

  /** The most receipts that one batch collects from one wallet. */
  @Env('SETTLEMENT_MAX_RECEIPTS')
  @IsInt()
  @Min(4)
  @Max(100_000)
  settlementMaxReceipts: number = 2_000;

  /** The most receipts that one batch collects in all: a thousand take some 0.2 s, rests included. */
  @Env('SETTLEMENT_MAX_BATCH_RECEIPTS')
  @IsInt()
  @Min(4)
  @Max(200_000)
  settlementMaxBatchReceipts: number = 50_000;

  /** How long whoever signs may not be heard of before another instance signs. */
  @Env('SETTLEMENT_LEASE_MS')
  @IsInt()
  @Min(1_000)
  @Max(600_000)
  settlementLeaseMs: number = 10_000;

  /** The most paid for a unit of gas, wei, what the chain's server says is usual beyond the base fee included; above it settlement waits. */
  @Env('SETTLEMENT_MAX_FEE_PER_GAS')
  @Matches(/^[1-9][0-9]{0,17}$/, { message: 'must be an amount in wei in plain digits' })
  settlementMaxFeePerGas: string = '200000000000';

  /** How long a transaction waits for a block that has it before it is sent again with a higher fee. */
  @Env('SETTLEMENT_BUMP_MS')
  @IsInt()
  @Min(100)
  @Max(86_400_000)
  settlementBumpMs: number = 60_000;

  /** How often a new payout root is published, if providers have earned since. */
  @Env('PAYOUT_INTERVAL_MS')
  @IsInt()
  @Min(100)
  @Max(604_800_000)
  payoutIntervalMs: number = 86_400_000;

  /** How often the ledger is checked against itself and the chain as far as that is cheap. */
  @Env('RECONCILIATION_INTERVAL_MS')
  @IsInt()
  @Min(100)
  @Max(3_600_000)
  reconciliationIntervalMs: number = 60_000;

  /** And how often in full. */
  @Env('RECONCILIATION_FULL_INTERVAL_MS')
  @IsInt()
  @Min(1_000)
  @Max(604_800_000)
  reconciliationFullIntervalMs: number = 86_400_000;
}

/** No one key may both take from payers and give to providers. */
function anotherThanSettlerKey(payerKey: unknown, config: object) {
  const { settlerKey } = config as BillingConfig;
  if (typeof payerKey !== 'string' || payerKey.toLowerCase() !== settlerKey?.toLowerCase()) return undefined;
  return { path: '', message: 'must be another key than SETTLER_KEY' };
}
