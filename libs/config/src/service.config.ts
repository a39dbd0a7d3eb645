import { ENVIRONMENTS, ENVIRONMENT_NAMES } from '@svc/environment';
import type { Environment, EnvironmentName } from '@svc/environment';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { HttpConfig } from './http.config';
import { Env } from './load-config';
import { NATS_SERVERS, SECRET } from './rules';

/** What every service is told: its environment, where it listens, and its NATS user. */
export class ServiceConfig extends HttpConfig {
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

  get environment(): Environment {
    return ENVIRONMENTS[this.environmentName];
  }
}
