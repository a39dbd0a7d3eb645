import type { ProviderDocument } from '../provider-file/provider-file.dto';

/** The file's `node` as the environment would say it (provider-node.config.ts). */
export function nodeSettings({ provider, node = {} }: ProviderDocument): Record<string, string> {
  const { upstream } = node;
  const settings: Record<string, string | number | undefined> = {
    PROVIDER_NAME: provider.name,
    HTTP_HOST: node.host,
    HTTP_PORT: node.port,
    PROVIDER_MODEL: node.models?.join(','),
    PROVIDER_TOKEN: node.token,
    PROVIDER_MAX_CONCURRENT: node.max_concurrent,
    PROVIDER_TOKENS_PER_SECOND: node.tokens_per_second,
    PROVIDER_FIRST_TOKEN_MS: node.first_token_ms,
    UPSTREAM_URL: upstream?.url,
    UPSTREAM_MODEL: upstream?.model,
    UPSTREAM_API_KEY: upstream?.api_key,
    UPSTREAM_TIMEOUT_MS: upstream?.timeout_ms,
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
