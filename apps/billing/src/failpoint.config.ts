import { Env, loadConfig } from '@svc/config';
import { IsOptional, IsString } from 'class-validator';

class FailpointConfig {
  /** For tests of crashes only: the failpoint at which this process kills itself. */
  @Env('SVC_FAILPOINT')
  @IsOptional()
  @IsString()
  failpoint?: string;
}

/** The failpoint that was armed for this process, if any. */
export function armedFailpoint(): string | undefined {
  return loadConfig(FailpointConfig).failpoint;
}
