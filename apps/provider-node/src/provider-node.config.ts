import { ConfigError, Env, Fits, HttpConfig, SECRET, loadConfig } from '@svc/config';
import { IsInt, IsOptional, IsString, IsUrl, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';

/** What a provider node is told by its environment. */
export class ProviderNodeConfig extends HttpConfig {
  /** Who answers: `owned_by` of the models, and the name in the log. */
  @Env('PROVIDER_NAME')
  @IsString()
  @MaxLength(100)
  providerName: string = 'provider-node';

  override httpPort: number = 9_100;

  /** Names it answers to, separated by commas. */
  @Env('PROVIDER_MODEL')
  @Matches(/^[^,\p{C}]+(?:,[^,\p{C}]+)*$/u, { message: 'must be model names separated by commas' })
  @MaxLength(10_000)
  providerModel: string = 'demo';

  /** Speed of the demo engine; 0 is as fast as it can. */
  @Env('PROVIDER_TOKENS_PER_SECOND')
  @Min(0)
  @Max(1_000_000)
  tokensPerSecond: number = 50;

  /** Time to the demo engine's first token. */
  @Env('PROVIDER_FIRST_TOKEN_MS')
  @IsInt()
  @Min(0)
  @Max(600_000)
  firstTokenMs: number = 150;

  /** Requests under way at once; more are refused with 429. */
  @Env('PROVIDER_MAX_CONCURRENT')
  @IsInt()
  @Min(1)
  @Max(100_000)
  maxConcurrent: number = 256;

  /** Bearer token that callers must send, if any. */
  @Env('PROVIDER_TOKEN')
  @IsOptional()
  @MinLength(8)
  @MaxLength(512)
  @Fits(SECRET)
  providerToken?: string;

  /** Base URL of an OpenAI-compatible server to forward to, such as `http://127.0.0.1:8080/v1`. */
  @Env('UPSTREAM_URL')
  @IsOptional()
  @IsUrl({
    protocols: ['http', 'https'],
    require_protocol: true,
    require_tld: false,
    // Names of containers have them.
    allow_underscores: true,
    disallow_auth: true,
  })
  upstreamUrl?: string;

  /** The model's name there. */
  @Env('UPSTREAM_MODEL')
  @IsOptional()
  @MaxLength(200)
  upstreamModel?: string;

  @Env('UPSTREAM_API_KEY')
  @IsOptional()
  @MaxLength(512)
  @Fits(SECRET)
  upstreamApiKey?: string;

  /** How long the upstream may take to begin its reply, and between two parts of it. */
  @Env('UPSTREAM_TIMEOUT_MS')
  @IsInt()
  @Min(1)
  @Max(3_600_000)
  upstreamTimeoutMs: number = 300_000;

  get models(): string[] {
    return this.providerModel.split(',').map((name) => name.trim());
  }
}

/**
 * Reads the configuration.
 * @throws ConfigError that names every variable that does not fit
 */
export function loadProviderNodeConfig(
  environment?: Readonly<Record<string, string | undefined>>,
): ProviderNodeConfig {
  const config = loadConfig(ProviderNodeConfig, environment);
  if ((config.upstreamUrl === undefined) !== (config.upstreamModel === undefined)) {
    throw new ConfigError(['UPSTREAM_URL and UPSTREAM_MODEL: must be given together']);
  }
  return config;
}
