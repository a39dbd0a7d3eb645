import { createLogger } from '@svc/observability';
import { createApp } from './create-app';
import { loadProviderNodeConfig } from './provider-node.config';

/** A node listening on a free port of this machine; for specs. */
export interface RunningApp {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a node with that environment; without delays unless it says otherwise. */
export async function runApp(environment: Readonly<Record<string, string>> = {}): Promise<RunningApp> {
  const config = loadProviderNodeConfig({
    HTTP_PORT: '0',
    PROVIDER_TOKENS_PER_SECOND: '0',
    PROVIDER_FIRST_TOKEN_MS: '0',
    ...environment,
  });
  const app = await createApp(config, createLogger('provider-node', 'silent'));
  await app.listen(config.httpPort, config.httpHost);
  return { url: await app.getUrl(), close: () => app.close() };
}
