import { Env } from '@svc/config';
import { IsCredentialPublicKey } from '@svc/credential-seal';
import { IsResponseKey } from '@svc/response-cipher';
import { Checked } from '@svc/validation';
import { IsInt, IsOptional, IsString, Max, Min, MinLength } from 'class-validator';
import { IsNetworks, listOf } from './config-rules';
import { PortalConfig } from './portal.config';

export class GatewayConfig extends PortalConfig {
  /** Keys are stored and looked up as HMACs under this secret; billing never learns it. */
  @Env('KEY_PEPPER')
  @IsString()
  @MinLength(16)
  keyPepper!: string;

  /** Replies of idempotent requests are kept encrypted under it: 32 bytes in hexadecimal or base64. Dispatch has it too. */
  @Env('RESPONSE_KEY')
  @IsResponseKey()
  responseKey!: string;

  /** The key before it, while replies stand that were encrypted under that: they do for 24 hours. */
  @Env('RESPONSE_KEY_PREVIOUS')
  @IsOptional()
  @IsResponseKey()
  previousResponseKey?: string;

  /** Credentials of providers' endpoints are sealed for it; dispatch has the private key. */
  @Env('CREDENTIAL_PUBLIC_KEY')
  @IsCredentialPublicKey()
  credentialPublicKey!: string;

  /** How often one address may do what providers do, and read of them. Chat and models are not counted. */
  @Env('SUPPLY_WRITES_PER_MINUTE')
  @IsInt()
  @Min(1)
  supplyWritesPerMinute: number = 30;

  @Env('SUPPLY_READS_PER_MINUTE')
  @IsInt()
  @Min(1)
  supplyReadsPerMinute: number = 300;

  /** How many API keys that nobody may use one address may have billing asked about; keys known to be usable are not counted. */
  @Env('UNKNOWN_KEYS_PER_MINUTE')
  @IsInt()
  @Min(1)
  unknownKeysPerMinute: number = 3_000;

  /**
   * Addresses and networks (CIDR), with commas between, of proxies in front: what they say of where a request comes from is
   * believed. Nobody is unless named here.
   */
  @Env('TRUSTED_PROXIES')
  @IsOptional()
  @IsNetworks()
  trustedProxies?: string;

  /** Where `/metrics` is, instead of on the public port. 0 takes any free port. */
  @Env('METRICS_PORT')
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(65_535)
  metricsPort?: number;

  /** How long clients are still served after SIGTERM, each reply the last on its connection; part of `SHUTDOWN_GRACE_MS`. */
  @Env('SHUTDOWN_LEAVE_MS')
  @IsInt()
  @Min(0)
  @Checked(withinTheGrace)
  shutdownLeaveMs: number = 1_000;

  /** Connections taken at once; further ones are refused by the listener. */
  @Env('HTTP_MAX_CONNECTIONS')
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  maxConnections: number = 20_000;

  /** What all request bodies together may take, bytes, until they have come whole; beyond it the stalest goes. */
  @Env('HTTP_MAX_COLLECTED_BODY_BYTES')
  @IsInt()
  @Min(1)
  maxCollectedBodyBytes: number = 256 * 1024 * 1024;

  get proxies(): string[] {
    return this.trustedProxies === undefined ? [] : listOf(this.trustedProxies);
  }
}

/** Else the process would end while clients are still served. */
function withinTheGrace(leaveMs: unknown, config: object) {
  if (Number(leaveMs) <= (config as GatewayConfig).shutdownGraceMs) return undefined;
  return { path: '', message: 'it must not be greater than SHUTDOWN_GRACE_MS' };
}
