import { IsInt, IsString, Max, Min } from 'class-validator';
import { Env } from './load-config';
import { ProcessConfig } from './process.config';

/** What every process that listens for HTTP is told. */
export class HttpConfig extends ProcessConfig {
  @Env('HTTP_HOST')
  @IsString()
  httpHost: string = '127.0.0.1';

  /** 0 takes any free port. */
  @Env('HTTP_PORT')
  @IsInt()
  @Min(0)
  @Max(65_535)
  httpPort!: number;

  /** How long work under way may take to finish after SIGTERM. */
  @Env('SHUTDOWN_GRACE_MS')
  @IsInt()
  @Min(0)
  // A timer for more than 24 days ends at once, and with it all that is under way.
  @Max(86_400_000)
  shutdownGraceMs: number = 20_000;
}
