import { Env, ServiceConfig } from '@svc/config';
import { IsBaseUnits } from '@svc/contracts';
import { IsInt, IsString, Matches, Max, Min } from 'class-validator';

const ADDRESS = { pattern: /^0x[0-9a-fA-F]{40}$/, message: 'must be an EVM address' };

export class BillingConfig extends ServiceConfig {
  /** Billing's own role: it reaches the schema `billing` and nothing else. */
  @Env('DATABASE_URL')
  @IsString()
  @Matches(/^postgres(ql)?:\/\//, { message: 'must be a postgresql:// URL' })
  databaseUrl!: string;

  @Env('CHAIN_RPC_URL')
  @Matches(/^https?:\/\//, { message: 'must be an http or https URL' })
  chainRpcUrl!: string;

  @Env('CHAIN_ID')
  @IsInt()
  @Min(1)
  chainId!: number;

  /** The token that is spent. */
  @Env('CHAIN_USDC_ADDRESS')
  @Matches(ADDRESS.pattern, { message: ADDRESS.message })
  chainUsdcAddress!: string;

  /** The contract that wallets approve, and that collects what they were charged. */
  @Env('CHAIN_SETTLEMENT_ADDRESS')
  @Matches(ADDRESS.pattern, { message: ADDRESS.message })
  chainSettlementAddress!: string;

  /** How many blocks deep the safe view lies below the head: from there on a rise of what is spendable counts. */
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
  @IsBaseUnits()
  unsettledCap: string = '100000000';

  /** How long a hold stands without a sign of life from the dispatch that works on it. */
  @Env('HOLD_LEASE_MS')
  @IsInt()
  @Min(1_000)
  @Max(3_600_000)
  holdLeaseMs: number = 60_000;

  /** The provider's share of a charge in basis points; the platform keeps the rest. */
  @Env('PROVIDER_SHARE_BPS')
  @IsInt()
  @Min(0)
  @Max(10_000)
  providerShareBps: number = 9_000;
}
