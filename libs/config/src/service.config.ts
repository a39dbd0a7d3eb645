import { ENVIRONMENTS, ENVIRONMENT_NAMES } from '@svc/environment';
import type { Environment, EnvironmentName } from '@svc/environment';
import { IsIn, IsInt, IsOptional, IsString, Max, Min, MinLength } from 'class-validator';
import { Env } from './load-config';

/** What every service is told: its environment, where it listens, and its NATS user. */
export class ServiceConfig {
  @Env('SVC_ENVIRONMENT')
  @IsIn(ENVIRONMENT_NAMES)
  environmentName: EnvironmentName = 'testnet';

  @Env('HTTP_HOST')
  @IsString()
  httpHost: string = '127.0.0.1';

  @Env('HTTP_PORT')
  @IsInt()
  @Min(0)
  @Max(65_535)
  httpPort!: number;

  @Env('NATS_URL')
  @IsString()
  @MinLength(1)
  natsUrl!: string;

  @Env('NATS_USER')
  @IsOptional()
  @IsString()
  natsUser?: string;

  @Env('NATS_PASSWORD')
  @IsOptional()
  @IsString()
  natsPassword?: string;

  @Env('LOG_LEVEL')
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  logLevel: string = 'info';

  /** How long work under way may take to finish after SIGTERM. */
  @Env('SHUTDOWN_GRACE_MS')
  @IsInt()
  @Min(0)
  shutdownGraceMs: number = 20_000;

  get environment(): Environment {
    return ENVIRONMENTS[this.environmentName];
  }
}
