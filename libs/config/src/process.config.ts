import { IsIn } from 'class-validator';
import { Env } from './load-config';

/** What every process is told. */
export class ProcessConfig {
  @Env('LOG_LEVEL')
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  logLevel: string = 'info';
}
