import type { OfferView } from '@svc/contracts';
import type { EnvironmentName } from '@svc/environment';
import { createLogger } from '@svc/observability';
import { listenService } from '@svc/service-host';
import type { ListeningService } from '@svc/service-host';
import type { PrivateNats } from '@svc/testing';
import { AppModule } from './app.module';
import { CortexConfig } from './cortex.config';
import { LiveOffers } from './offers/live-offers';

export const MODEL = 'svc/tiny@1';
export const PROVIDER = `0x${'a'.repeat(40)}`;
/** So much dearer than the others that it never comes before them by chance. */
export const DEAR = { outputPricePerMtok: '1600000' };

/** How specs ask, who know what they wait for: a gateway would have given up a machine that stands still. */
export const PATIENTLY = { timeoutMs: 20_000 };

/** A cortex on a free port, connected as itself. */
export async function startCortex(
  server: PrivateNats,
  environmentName: EnvironmentName = 'testnet',
): Promise<ListeningService> {
  const config = Object.assign(new CortexConfig(), { httpPort: 0, environmentName });
  const messaging = await server.connectAs('cortex');
  const logger = createLogger('cortex', 'silent');
  return listenService(
    {
      module: (parts) => AppModule.forService(parts),
      callsNeed: (app) => app.get(LiveOffers, { strict: false }),
    },
    { config, logger, messaging },
  );
}

/** An offer as the catalogue publishes it. */
export function viewOf(offerId: string, changes: Partial<OfferView> = {}): OfferView {
  return {
    offerId,
    version: 1,
    model: MODEL,
    provider: PROVIDER,
    bundleId: `${offerId}-bundle`,
    profileId: 'cpu-8k',
    endpoint: 'http://127.0.0.1:9/v1',
    upstreamModel: 'tiny',
    certified: {
      certificationId: 'crt_1',
      structuredOutputs: false,
      maxOutputTokens: 4_096,
      tools: { choices: ['auto'], parallelCalls: false, strictSchemas: false },
    },
    contextLimit: 8_192,
    inputPricePerMtok: '100000',
    outputPricePerMtok: '400000',
    concurrency: 1_000,
    firstTokenTimeoutMs: 1_000,
    chunkTimeoutMs: 1_000,
    ...changes,
  };
}
