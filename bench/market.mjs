// A marketplace of its own for the bench, started as a user starts it, with the mock upstream as its only bench provider.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const MODEL = 'svc/bench@1';
const PROVIDER = '0x00000000000000000000000000000000000bea7c';

/** Starts `npm start` on an empty state directory; resolves with what it wrote to ready.json and a way to stop it. */
export async function startMarket(workspace, node) {
  const directory = join(workspace, '.local/bench');
  rmSync(directory, { recursive: true, force: true });
  const child = spawn(node, ['tools/start.mjs'], {
    cwd: workspace,
    env: { ...process.env, SVC_STATE_DIR: directory },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => child.kill());
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const readyFile = join(directory, 'ready.json');
  for (let attempt = 0; !existsSync(readyFile); attempt++) {
    if (child.exitCode !== null || attempt > 600) throw new Error('the marketplace did not start');
    await new Promise((next) => setTimeout(next, 500));
  }
  return {
    ready: JSON.parse(readFileSync(readyFile, 'utf8')),
    stop: () => (child.kill('SIGTERM'), ended),
  };
}

/** Offers the mock upstream as `svc/bench@1` at a price at which a request costs one base unit. */
export async function offerMock(ready, endpoint) {
  const { RpcClient, connectMessaging } = require('@svc/messaging');
  const { catalogContracts } = require('@svc/contracts');
  const url = new URL(ready.natsUrl);
  const messaging = await connectMessaging('setup', {
    natsUrl: `nats://${url.host}`,
    natsUser: url.username,
    natsPassword: url.password,
  });
  await new RpcClient(messaging).call(catalogContracts.applyCatalogue, {
    models: [
      {
        id: MODEL,
        ownedBy: 'bench',
        contextLimit: 131_072,
        capabilities: {
          workload: 'chat',
          tools: true,
          structuredOutputs: true,
          reasoning: false,
          streaming: true,
          maxOutputTokens: 8_192,
        },
      },
    ],
    bundles: [{ id: 'bench', model: MODEL, weightsDigest: 'none', quantisation: 'none', engine: 'mock' }],
    profiles: [{ id: 'bench', hardwareClass: 'none', contextLimit: 131_072, speedTier: 'bench' }],
    providers: [{ wallet: PROVIDER, name: 'Mock upstream (bench)' }],
    offers: [
      {
        id: 'bench',
        provider: PROVIDER,
        bundle: 'bench',
        profile: 'bench',
        endpoint,
        upstreamModel: 'mock',
        inputPricePerMtok: '100',
        outputPricePerMtok: '100',
        concurrency: 100_000,
        firstTokenTimeoutMs: 30_000,
        chunkTimeoutMs: 30_000,
        active: true,
      },
    ],
  });
  await messaging.connection.close();
  for (let attempt = 0; attempt < 100; attempt++) {
    const card = await (await fetch(`${ready.gateway}/v1/models/${encodeURIComponent(MODEL)}`)).json();
    if (card.svc?.pricing) return MODEL;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error('the bench model did not appear');
}

/** What is asked of the gateway in one scenario. */
export function targetOf(ready, model, { stream = false, paced = false, messages } = {}) {
  return {
    url: ready.gateway,
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${ready.apiKey}` },
    stream,
    body: JSON.stringify({
      model,
      messages: messages ?? [{ role: 'user', content: 'What is a ledger, in a few sentences?' }],
      max_tokens: 256,
      ...(stream && { stream: true }),
      ...(paced && { temperature: 1 }),
    }),
  };
}
