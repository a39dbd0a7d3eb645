import { Env, ServiceConfig } from '@svc/config';
import { IsResponseKey } from '@svc/response-cipher';
import { IsInt, IsOptional, IsString, Max, Min, MinLength } from 'class-validator';

export class GatewayConfig extends ServiceConfig {
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
