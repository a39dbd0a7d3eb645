import { Env, ServiceConfig } from '@svc/config';
import { IsInt, IsString, Max, Min, MinLength } from 'class-validator';

export class GatewayConfig extends ServiceConfig {
  /** Keys are stored and looked up as HMACs under this secret; billing never learns it. */
  @Env('KEY_PEPPER')
  @IsString()
  @MinLength(16)
  keyPepper!: string;

  /** Connections taken at once; further ones are refused by the listener. */
  @Env('HTTP_MAX_CONNECTIONS')
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  maxConnections: number = 20_000;

  /** What all request bodies together may take, bytes, until they have come whole; further ones are refused. */
  @Env('HTTP_MAX_COLLECTED_BODY_BYTES')
  @IsInt()
  @Min(1)
  maxCollectedBodyBytes: number = 256 * 1024 * 1024;
}
