import { ConfigError, Env, Fits, PRIVATE_KEY, loadConfig } from '@svc/config';
import { IsOptional, MaxLength } from 'class-validator';
import { misuse } from './command-error';

type Variables = Readonly<Record<string, string | undefined>>;

/** What the command takes from the environment; neither is ever written or shown. */
export class SvcProviderConfig {
  /** The wallet's private key, instead of the file's. */
  @Env('SVC_PROVIDER_KEY')
  @IsOptional()
  @Fits(PRIVATE_KEY)
  key?: string;

  /** Opens an encrypted key. */
  @Env('SVC_PROVIDER_PASSWORD')
  @IsOptional()
  @MaxLength(1_000)
  password?: string;

  /** What the provider's file may name as `${NAME}`. */
  variables: Variables = {};
}

/** @throws CommandError (2) that names the variable and not its value */
export function readSvcProviderConfig(variables: Variables = process.env): SvcProviderConfig {
  try {
    const config = loadConfig(SvcProviderConfig, variables);
    config.variables = variables;
    return config;
  } catch (error) {
    if (error instanceof ConfigError) throw misuse(error.problems.join('\n'));
    throw error;
  }
}
