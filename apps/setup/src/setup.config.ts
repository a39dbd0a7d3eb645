import {
  EVM_ADDRESS,
  Env,
  Fits,
  HTTP_URL,
  NATS_SERVERS,
  POSTGRES_URL,
  PRIVATE_KEY,
  ProcessConfig,
  SECRET,
} from '@svc/config';
import { ENVIRONMENTS, ENVIRONMENT_NAMES } from '@svc/environment';
import type { Environment, EnvironmentName } from '@svc/environment';
import { IsIn, IsInt, IsOptional, IsString, Max, Min, MinLength } from 'class-validator';

/** What every step is told. */
export class StepConfig extends ProcessConfig {
  /** The whole step must be done within it: a job that hangs holds up everything that waits for it. */
  @Env('SETUP_TIMEOUT_MS')
  @IsInt()
  @Min(1_000)
  @Max(3_600_000)
  timeoutMs: number = 120_000;
}

export class MigrateConfig extends StepConfig {
  /** A role that may create roles and schemas. */
  @Env('DATABASE_URL')
  @Fits(POSTGRES_URL)
  databaseUrl!: string;

  @Env('BILLING_DB_PASSWORD')
  @Fits(SECRET)
  billingDbPassword!: string;

  @Env('CATALOG_DB_PASSWORD')
  @Fits(SECRET)
  catalogDbPassword!: string;
}

export class ChainStepConfig extends StepConfig {
  @Env('CHAIN_RPC_URL')
  @Fits(HTTP_URL)
  chainRpcUrl!: string;

  @Env('CHAIN_ID')
  @IsInt()
  @Min(1)
  chainId!: number;

  /** Where the steps leave what the next start and the supervisor need. */
  @Env('STATE_FILE')
  @IsString()
  @MinLength(1)
  stateFile!: string;
}

export class ContractsConfig extends ChainStepConfig {
  /** Pays for the deployment and gets every role that is not given to another address. */
  @Env('CHAIN_DEPLOYER_KEY')
  @Fits(PRIVATE_KEY)
  deployerKey!: string;

  /** Where settled tokens go, for good, and payouts come from; the deployer's address unless told. */
  @Env('CHAIN_TREASURY')
  @IsOptional()
  @Fits(EVM_ADDRESS)
  treasury?: string;

  /** Publishes what providers have earned; the deployer's address unless told. */
  @Env('CHAIN_PAYER')
  @IsOptional()
  @Fits(EVM_ADDRESS)
  payer?: string;

  /** Whom the contract lets collect: the address of billing's SETTLER_KEY. The deployer alone unless told. */
  @Env('CHAIN_SETTLER')
  @IsOptional()
  @Fits(EVM_ADDRESS)
  settler?: string;

  /** The contracts must end up here, for services that were told the addresses beforehand. */
  @Env('CHAIN_USDC_ADDRESS')
  @IsOptional()
  @Fits(EVM_ADDRESS)
  usdcAddress?: string;

  @Env('CHAIN_SETTLEMENT_ADDRESS')
  @IsOptional()
  @Fits(EVM_ADDRESS)
  settlementAddress?: string;
}

export class SeedConfig extends ChainStepConfig {
  @Env('SVC_ENVIRONMENT')
  @IsIn(ENVIRONMENT_NAMES)
  environmentName: EnvironmentName = 'testnet';

  @Env('NATS_URL')
  @Fits(NATS_SERVERS)
  natsUrl!: string;

  @Env('NATS_USER')
  @IsOptional()
  @Fits(SECRET)
  natsUser?: string;

  @Env('NATS_PASSWORD')
  @IsOptional()
  @Fits(SECRET)
  natsPassword?: string;

  /** The gateway's: keys are hashed under it. */
  @Env('KEY_PEPPER')
  @IsString()
  @MinLength(16)
  keyPepper!: string;

  /** The catalogue to apply. */
  @Env('SEED_FILE')
  @IsString()
  @MinLength(1)
  seedFile!: string;

  /** The providers that are up, as JSON. */
  @Env('SEED_PROVIDERS')
  @IsString()
  seedProviders: string = '[]';

  /** Where the providers' files and keys are written, for `svc-provider`. */
  @Env('SEED_PROVIDERS_DIR')
  @IsString()
  @MinLength(1)
  seedProvidersDir!: string;

  /** The gateway, as providers reach it. */
  @Env('SEED_MARKET_URL')
  @Fits(HTTP_URL)
  seedMarketUrl!: string;

  /** Base URL of the demo vendor, as dispatch reaches it; without it no managed vendor is defined. */
  @Env('SEED_VENDOR_URL')
  @IsOptional()
  @Fits(HTTP_URL)
  seedVendorUrl?: string;

  /** The wallet behind the development key; a development node's second account unless told. */
  @Env('SEED_WALLET_KEY')
  @IsOptional()
  @Fits(PRIVATE_KEY)
  seedWalletKey?: string;

  get environment(): Environment {
    return ENVIRONMENTS[this.environmentName];
  }
}
