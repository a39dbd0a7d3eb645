import { ENVIRONMENTS, ENVIRONMENT_NAMES } from '@svc/environment';
import type { Environment, EnvironmentName } from '@svc/environment';
import { IsIn, IsOptional } from 'class-validator';
import { HttpConfig } from './http.config';
import { Env } from './load-config';
import { Fits, NATS_SERVERS, SECRET } from './rules';

/** What every service is told: its environment, where it listens, and its NATS user. */
export class ServiceConfig extends HttpConfig {
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

  get environment(): Environment {
    return ENVIRONMENTS[this.environmentName];
  }
}
