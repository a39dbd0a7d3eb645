import { EVM_ADDRESS, Env, Fits, HTTP_URL, POSTGRES_URL, ServiceConfig } from '@svc/config';
import { IsInt, IsString, Max, Min } from 'class-validator';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export class CatalogConfig extends ServiceConfig {
  /** The catalogue's own role: it reaches the schema `catalog` and nothing else. */
  @Env('DATABASE_URL')
  @IsString()
  @Fits(POSTGRES_URL)
  databaseUrl!: string;

  /** How often the published views are held against the tables though nothing changed. */
  @Env('CATALOG_REPUBLISH_MS')
  @IsInt()
  @Min(100)
  @Max(HOUR_MS)
  republishMs: number = 30_000;

  /** Asked whether a contract wallet takes a signature for its own (EIP-1271). */
  @Env('CHAIN_RPC_URL')
  @Fits(HTTP_URL)
  chainRpcUrl!: string;

  /** Providers sign for this chain and for this settlement contract alone (EIP-712). */
  @Env('CHAIN_ID')
  @IsInt()
  @Min(1)
  chainId!: number;

  @Env('CHAIN_SETTLEMENT_ADDRESS')
  @Fits(EVM_ADDRESS)
  chainSettlementAddress!: string;

  /** How many offers a provider may have that are not withdrawn. */
  @Env('OFFERS_PER_PROVIDER')
  @IsInt()
  @Min(1)
  @Max(100_000)
  offersPerProvider: number = 100;

  /** How many versions of offers a provider may sign in an hour: each new price is one. */
  @Env('OFFER_VERSIONS_PER_HOUR')
  @IsInt()
  @Min(1)
  @Max(100_000)
  versionsPerHour: number = 600;

  /** How many full certifications of a provider's offers may begin in an hour by the provider's own acts. */
  @Env('CERTIFICATIONS_PER_HOUR')
  @IsInt()
  @Min(1)
  @Max(100_000)
  certificationsPerHour: number = 30;

  /** How many offers of one model, and of all, may serve or wait to be certified. */
  @Env('OFFERS_PER_MODEL')
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  offersPerModel: number = 1_000;

  @Env('OFFERS_TOTAL')
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  offersTotal: number = 20_000;

  /** How many full certifications may wait or be under way, of all providers: a version beyond it is not taken. */
  @Env('CERTIFICATION_QUEUE_MAX')
  @IsInt()
  @Min(1)
  @Max(100_000)
  certificationQueueMax: number = 1_000;

  /** Certification runs under way at once in this process. One place of several is kept for canaries and renewals, and one for what is new. */
  @Env('CERTIFICATION_CONCURRENCY')
  @IsInt()
  @Min(1)
  @Max(64)
  certificationConcurrency: number = 4;

  /** How long a certification is good. */
  @Env('CERTIFICATION_TTL_MS')
  @IsInt()
  @Min(1_000)
  @Max(366 * DAY_MS)
  certificationTtlMs: number = 30 * DAY_MS;

  /** The largest argument document of a tool call that is tried, bytes. */
  @Env('CERTIFICATION_MAX_ARGUMENT_BYTES')
  @IsInt()
  @Min(1_024)
  @Max(1_048_576)
  certificationMaxArgumentBytes: number = 65_536;

  /** The longest that one request of a probe may take. */
  @Env('CERTIFICATION_CALL_TIMEOUT_MS')
  @IsInt()
  @Min(1_000)
  @Max(120_000)
  certificationCallTimeoutMs: number = 120_000;

  /** When a probe is done again that met a server which is full, starting, or away for now; the second time it is four times as long. */
  @Env('CERTIFICATION_RETRY_MS')
  @IsInt()
  @Min(10)
  @Max(HOUR_MS)
  certificationRetryMs: number = 30_000;

  /** The longest that a run may take in all while it is run; half of it for each probe, and for a canary. */
  @Env('CERTIFICATION_RUN_TIMEOUT_MS')
  @IsInt()
  @Min(1_000)
  @Max(HOUR_MS)
  certificationRunTimeoutMs: number = 600_000;

  /** How long looking for the largest argument document that a tool call may have may take. */
  @Env('CERTIFICATION_ARGUMENT_BUDGET_MS')
  @IsInt()
  @Min(500)
  @Max(600_000)
  certificationArgumentBudgetMs: number = 30_000;

  /** How often each live offer's endpoint is asked for a sign of life. */
  @Env('HEARTBEAT_MS')
  @IsInt()
  @Min(100)
  @Max(HOUR_MS)
  heartbeatMs: number = 30_000;

  /** How often a few probes are run again against each live offer. */
  @Env('CANARY_MS')
  @IsInt()
  @Min(100)
  @Max(DAY_MS)
  canaryMs: number = 900_000;
}
