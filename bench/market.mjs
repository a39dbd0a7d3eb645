// A marketplace of its own for the bench, started as a user starts it, with the mock upstream as its only bench provider.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const MODEL = 'svc/bench@1';
/** More than any scenario has under way at once. */
const CONCURRENCY = 128;

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
    directory,
    stop: () => (child.kill('SIGTERM'), ended),
  };
}

/**
 * Offers the mock upstream as `svc/bench@1` at a price at which a request costs one base unit. It is certified with a demo provider's
 * engine behind its endpoint: what the bench certifies is the way, not the mock.
 * @param directory the marketplace's state
 */
export async function offerMock(ready, mockUrl, directory) {
  await defineModel(ready);
  const ports = JSON.parse(readFileSync(join(directory, 'ports.json'), 'utf8'));
  const standIn = new URL('/stand-in', mockUrl);
  await post(`${standIn}?for=http://127.0.0.1:${ports['provider-demo-1']}`);
  const file = join(directory, 'bench-provider.yaml');
  writeFileSync(file, providerFile(ready, mockUrl));
  const key = `0x${randomBytes(32).toString('hex')}`;
  await runCommand(['offer', '--file', file], { SVC_PROVIDER_KEY: key });
  await post(standIn);
  for (let attempt = 0; attempt < 100; attempt++) {
    const card = await (await fetch(`${ready.gateway}/v1/models/${encodeURIComponent(MODEL)}`)).json();
    if (card.svc?.pricing) return MODEL;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error('the bench model did not appear');
}

async function defineModel(ready) {
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
          tools: false,
          structuredOutputs: false,
          reasoning: false,
          streaming: true,
          maxOutputTokens: 8_192,
        },
      },
    ],
    bundles: [{ id: 'bench', model: MODEL, weightsDigest: 'none', quantisation: 'none', engine: 'mock' }],
    profiles: [{ id: 'bench', hardwareClass: 'none', contextLimit: 131_072, speedTier: 'bench' }],
  });
  await messaging.connection.close();
}

function providerFile(ready, endpoint) {
  return JSON.stringify({
    market: ready.gateway,
    provider: { name: 'Mock upstream (bench)' },
    offers: [
      {
        name: 'bench',
        model: MODEL,
        bundle: { id: 'bench' },
        profile: { id: 'bench' },
        endpoint,
        upstream_model: 'demo-text',
        input_price_per_mtok: '100',
        output_price_per_mtok: '100',
        concurrency: CONCURRENCY,
        context_limit: 131_072,
        first_token_timeout_ms: 30_000,
        chunk_timeout_ms: 30_000,
      },
    ],
  });
}

async function post(url) {
  await (await fetch(url, { method: 'POST' })).arrayBuffer();
}

/** Runs `svc-provider`, whose words are the bench's. */
async function runCommand(args, environment) {
  const script = fileURLToPath(new URL('../apps/provider-node/bin/svc-provider.mjs', import.meta.url));
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [script, ...args], { env, stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`svc-provider ${args[0]} ended with ${code}`);
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
