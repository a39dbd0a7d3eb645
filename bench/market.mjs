// A marketplace of its own for the bench, started as a user starts it, and what is offered in it.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { holderOf } from '../tools/stack-lock.mjs';
import { natsOf } from './market-nats.mjs';
import { startProcess } from './processes.mjs';

const require = createRequire(import.meta.url);
const workspace = fileURLToPath(new URL('..', import.meta.url));

/** The services whose work a request is; ready.json names their processes. */
export const MARKETPLACE = ['gateway', 'cortex', 'billing', 'dispatch', 'catalog', 'nats', 'postgres'];

/** Many offers are certified at once, by one address, and some by one provider. */
const SETTINGS = {
  CERTIFICATION_CONCURRENCY: '8',
  CERTIFICATIONS_PER_HOUR: '1000',
  OFFERS_PER_PROVIDER: '1000',
  SUPPLY_WRITES_PER_MINUTE: '10000',
  SUPPLY_READS_PER_MINUTE: '100000',
};

/**
 * Starts `npm start` on an empty state directory; resolves with what it wrote to ready.json and a way to stop it. Throws when another
 * bench runs there.
 * @param environment settings of the services
 */
export async function startMarket(workspaceFolder, node, environment = {}) {
  const directory = join(workspaceFolder, '.local/bench');
  const holder = holderOf(directory);
  if (holder !== undefined) throw new Error(`another benchmark of this clone is running (pid ${holder})`);
  rmSync(directory, { recursive: true, force: true });
  const child = spawn(node, ['tools/start.mjs'], {
    cwd: workspaceFolder,
    env: { ...process.env, ...SETTINGS, ...environment, SVC_STATE_DIR: directory },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => child.kill());
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const readyFile = join(directory, 'ready.json');
  for (let attempt = 0; !existsSync(readyFile); attempt++) {
    if (child.exitCode !== null || attempt > 600) throw new Error('the marketplace did not start');
    await pause(500);
  }
  return {
    ready: JSON.parse(readFileSync(readyFile, 'utf8')),
    directory,
    stop: () => (child.kill('SIGTERM'), ended),
  };
}

/** An honest engine without delays: it answers what the mock upstreams do not, certifications and canaries. */
export async function startEngine(node) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const engine = await startProcess('engine', node, [join(workspace, 'apps/provider-node/dist/main.js')], {
    HTTP_PORT: String(port),
    PROVIDER_MODEL: 'bench',
    PROVIDER_FIRST_TOKEN_MS: '5',
    PROVIDER_TOKENS_PER_SECOND: '1000',
    PROVIDER_MAX_CONCURRENT: '10000',
    LOG_LEVEL: 'error',
  });
  await untilOk(`${url}/health/ready`);
  return { ...engine, url: `${url}/v1` };
}

/** A mock upstream in a process of its own, so that its CPU is not the generator's. */
export async function startMock(engine, flags = []) {
  const script = fileURLToPath(new URL('mock-upstream.mjs', import.meta.url));
  const mock = await startProcess('mock', process.execPath, [script, '--engine', engine.url, ...flags]);
  return { ...mock, url: await mock.firstLine };
}

/**
 * Offers upstreams as models of the bench's at a price at which a request costs one base unit. They are certified like anybody's, with the
 * honest engine behind them.
 * @param market what {@link startMarket} resolved with
 * @param offers for each: its name, the model, the upstream's URL, requests at once, price, how long the first token and each chunk may
 *   take, and the provider who offers it: one of its own, unless told
 * @param tools whether the models call tools
 */
export async function offerMocks({ ready, directory }, offers, { tools = false } = {}) {
  const folder = join(directory, 'bench-providers');
  mkdirSync(folder, { recursive: true });
  const models = [...new Set(offers.map(({ model }) => model))];
  await defineModels({ ready, directory }, models, tools);
  const providers = [...new Set(offers.map(providerOf))];
  await Promise.all(
    providers.map((provider) =>
      offerAll(
        ready,
        folder,
        provider,
        offers.filter((offer) => providerOf(offer) === provider),
      ),
    ),
  );
  for (const model of models) {
    await until(async () => {
      const card = await (await fetch(`${ready.gateway}/v1/models/${encodeURIComponent(model)}`)).json();
      return card.svc?.pricing !== undefined;
    }, `${model} did not appear`);
  }
}

const providerOf = ({ provider, name }) => provider ?? name;

const TRIES = 3;

/** On a machine that others use as well, a certification may find less than the mock can do; then it is done once more. */
async function offerAll(ready, folder, provider, offers) {
  const file = join(folder, `${provider}.yaml`);
  writeFileSync(file, providerFile(ready, provider, offers));
  for (let attempt = 1; ; attempt++) {
    const environment = { SVC_PROVIDER_KEY: `0x${randomBytes(32).toString('hex')}` };
    const { code, words } = await runCommand(['offer', '--file', file], environment);
    const certified = [...words.matchAll(/ (\d+) at once\n/g)].map(([, atOnce]) => Number(atOnce));
    const least = Math.min(...certified);
    if (code === 0 && certified.length === offers.length && least >= offers[0].concurrency) return;
    if (attempt === TRIES) throw new Error(`${provider} was not certified for what it can do\n${words}`);
    for (const { name } of offers) await runCommand(['withdraw', name, '--file', file], environment);
  }
}

async function defineModels(market, models, tools) {
  const { RpcClient, connectMessaging } = require('@svc/messaging');
  const { catalogContracts } = require('@svc/contracts');
  const messaging = await connectMessaging('setup', natsOf(market, 'setup'));
  const capabilities = {
    workload: 'chat',
    tools,
    structuredOutputs: false,
    reasoning: false,
    streaming: true,
    maxOutputTokens: 8_192,
  };
  await new RpcClient(messaging).call(catalogContracts.applyCatalogue, {
    models: models.map((id) => ({ id, ownedBy: 'bench', contextLimit: 131_072, capabilities })),
    bundles: models.map((model) => ({
      id: bundleOf(model),
      model,
      weightsDigest: 'none',
      quantisation: 'none',
      engine: 'mock',
    })),
    profiles: [{ id: 'bench', hardwareClass: 'none', contextLimit: 131_072, speedTier: 'bench' }],
  });
  await messaging.connection.close();
}

const bundleOf = (model) => model.replace(/^svc\/|@.*$/g, '');

function providerFile(ready, provider, offers) {
  return JSON.stringify({
    market: ready.gateway,
    provider: { name: `Mock upstream (${provider})` },
    offers: offers.map((offer) => ({
      name: offer.name,
      model: offer.model,
      bundle: { id: bundleOf(offer.model) },
      profile: { id: 'bench' },
      endpoint: offer.url,
      upstream_model: 'bench',
      input_price_per_mtok: offer.price ?? '100',
      output_price_per_mtok: offer.price ?? '100',
      concurrency: offer.concurrency,
      context_limit: 131_072,
      first_token_timeout_ms: offer.firstTokenTimeoutMs ?? 30_000,
      chunk_timeout_ms: offer.chunkTimeoutMs ?? 30_000,
    })),
  });
}

/** Runs `svc-provider`; resolves with its exit code and its words. */
async function runCommand(args, environment) {
  const script = join(workspace, 'apps/provider-node/bin/svc-provider.mjs');
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (data) => (words += data));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, words };
}

/**
 * One more dispatch, as on another machine.
 * @returns the process
 */
export async function addDispatch({ ready, directory }, node) {
  const { credentialPublicKeyOf } = require('@svc/credential-seal');
  const secrets = JSON.parse(readFileSync(join(directory, 'secrets.json'), 'utf8'));
  const { natsUrl, natsUser, natsPassword = '' } = natsOf({ ready, directory }, 'dispatch');
  const port = await freePort();
  const replica = await startProcess('dispatch', node, [join(workspace, 'apps/dispatch/dist/main.js')], {
    SVC_ENVIRONMENT: ready.environment,
    LOG_LEVEL: 'error',
    HTTP_PORT: String(port),
    NATS_URL: natsUrl,
    ...(natsUser !== undefined && { NATS_USER: natsUser, NATS_PASSWORD: natsPassword }),
    RESPONSE_KEY: secrets.responseKey,
    CREDENTIAL_KEY: secrets.credentialKey,
    CREDENTIAL_PUBLIC_KEY: credentialPublicKeyOf(secrets.credentialKey),
    KEY_PEPPER: secrets.keyPepper,
    PROVIDER_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  await untilOk(`http://127.0.0.1:${port}/health/ready`);
  return replica;
}

/** What is asked of the gateway: a model, answered as the mark says, after a conversation if one is given. */
export function marketTarget(ready, model, mark, earlier = []) {
  const stream = mark.startsWith('[bench stream');
  return {
    url: ready.gateway,
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${ready.apiKey}` },
    stream,
    body: JSON.stringify({
      model,
      messages: [...earlier, { role: 'user', content: `What is a ledger, in a few sentences? ${mark}` }],
      max_tokens: 256,
      ...(stream && { stream: true }),
    }),
  };
}

/** Messages of 500 bytes, taking turns. */
export function conversationOf(messages) {
  return Array.from({ length: messages }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: 'All work and no play makes a long conversation of it. '.repeat(10).slice(0, 500),
  }));
}

const freePort = () => require('@svc/local-servers').freePort();

async function untilOk(url) {
  await until(
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    `${url} was never ready`,
  );
}

async function until(condition, otherwise) {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await condition()) return;
    await pause(100);
  }
  throw new Error(otherwise);
}
