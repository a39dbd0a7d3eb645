import {
  EVM_ADDRESS,
  Env,
  HTTP_URL,
  NATS_SERVERS,
  POSTGRES_URL,
  PRIVATE_KEY,
  ProcessConfig,
  SECRET,
} from '@svc/config';
import { ENVIRONMENTS, ENVIRONMENT_NAMES } from '@svc/environment';
import type { Environment, EnvironmentName } from '@svc/environment';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, Min, MinLength } from 'class-validator';

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
  @Matches(POSTGRES_URL.pattern, { message: POSTGRES_URL.message })
  databaseUrl!: string;

  @Env('BILLING_DB_PASSWORD')
  @Matches(SECRET.pattern, { message: SECRET.message })
  billingDbPassword!: string;

  @Env('CATALOG_DB_PASSWORD')
  @Matches(SECRET.pattern, { message: SECRET.message })
  catalogDbPassword!: string;
}

export class ChainStepConfig extends StepConfig {
  @Env('CHAIN_RPC_URL')
  @Matches(HTTP_URL.pattern, { message: HTTP_URL.message })
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
  @Matches(PRIVATE_KEY.pattern, { message: PRIVATE_KEY.message })
  deployerKey!: string;

  /** Where settled tokens go, for good, and payouts come from; the deployer's address unless told. */
  @Env('CHAIN_TREASURY')
  @IsOptional()
  @Matches(EVM_ADDRESS.pattern, { message: EVM_ADDRESS.message })
  treasury?: string;

  /** Publishes what providers have earned; the deployer's address unless told. */
  @Env('CHAIN_PAYER')
  @IsOptional()
  @Matches(EVM_ADDRESS.pattern, { message: EVM_ADDRESS.message })
  payer?: string;

  /** Whom the contract lets collect: the address of billing's SETTLER_KEY. The deployer alone unless told. */
  @Env('CHAIN_SETTLER')
  @IsOptional()
  @Matches(EVM_ADDRESS.pattern, { message: EVM_ADDRESS.message })
  settler?: string;

  /** The contracts must end up here, for services that were told the addresses beforehand. */
  @Env('CHAIN_USDC_ADDRESS')
  @IsOptional()
  @Matches(EVM_ADDRESS.pattern, { message: EVM_ADDRESS.message })
  usdcAddress?: string;

  @Env('CHAIN_SETTLEMENT_ADDRESS')
  @IsOptional()
  @Matches(EVM_ADDRESS.pattern, { message: EVM_ADDRESS.message })
  settlementAddress?: string;
}

export class SeedConfig extends ChainStepConfig {
  @Env('SVC_ENVIRONMENT')
  @IsIn(ENVIRONMENT_NAMES)
  environmentName: EnvironmentName = 'testnet';

  @Env('NATS_URL')
  @Matches(NATS_SERVERS.pattern, { message: NATS_SERVERS.message })
  natsUrl!: string;

  @Env('NATS_USER')
  @IsOptional()
  @Matches(SECRET.pattern, { message: SECRET.message })
  natsUser?: string;

  @Env('NATS_PASSWORD')
  @IsOptional()
  @Matches(SECRET.pattern, { message: SECRET.message })
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
  @Matches(HTTP_URL.pattern, { message: HTTP_URL.message })
  seedMarketUrl!: string;

  /** Base URL of the demo vendor, as dispatch reaches it; without it no managed vendor is defined. */
  @Env('SEED_VENDOR_URL')
  @IsOptional()
  @Matches(HTTP_URL.pattern, { message: HTTP_URL.message })
  seedVendorUrl?: string;

  /** The wallet behind the development key; a development node's second account unless told. */
  @Env('SEED_WALLET_KEY')
  @IsOptional()
  @Matches(PRIVATE_KEY.pattern, { message: PRIVATE_KEY.message })
  seedWalletKey?: string;

  get environment(): Environment {
    return ENVIRONMENTS[this.environmentName];
  }
}
