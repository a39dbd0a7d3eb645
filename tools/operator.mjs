/**
 * `npm run operator -- COMMAND`: what operators do to the market, over NATS as the user `setup`. Each act needs a reason and stands in
 * the audit trail. Without `--nats` (or `SVC_OPERATOR_NATS_URL`) it is the local marketplace's server. Ends with 0, 1 when
 * the market refused, 2 when it could not be asked, or failed, or what it said could not be written.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stateDirOf, takeEnvironment } from './environments.mjs';
import { managedCommands, managedOptions } from './operator-managed.mjs';
import { fileOfCaller } from './operator-files.mjs';
import { Outcome, refused, unasked } from './operator-outcome.mjs';
import { prepare, root } from './prepare.mjs';
import { endOnSignal } from './run.mjs';
import { outliveReaders } from './standard-output.mjs';

const usage = `usage: npm run operator -- COMMAND [--reason TEXT] [--actor NAME] [--environment NAME | --nats URL]

  define FILE                  models, bundles, profiles, routing models (JSON) are added or redefined
  provider WALLET              how a provider and its offers stand
  suspend WALLET | OFFER       takes a provider or an offer off the market    (--reason)
  reinstate WALLET | OFFER     lets it back                                   (--reason)
  certify OFFER                has an offer certified anew                    (--reason)
  managed                      lists routing models and managed vendors
  managed set MAPPING          adds a managed vendor or changes one           (--reason)
      --model ID --endpoint URL --upstream-model NAME --payee WALLET --input-price N --output-price N
      --context TOKENS --max-output TOKENS [--tools] [--structured-outputs] [--concurrency N]
      [--first-token-ms N] [--chunk-ms N] [--output-limit-field max_tokens | max_completion_tokens]
      [--reasoning-field none | reasoning_content | reasoning | extra_content]
      [--key-env VARIABLE | --key-file FILE | --without-key] [--gateway URL]
  managed retire MAPPING       takes it away                                  (--reason)
  routing ID                   adds a routing model or changes it             (--reason)
      --candidates ID,ID --input-price N --output-price N [--owned-by NAME]
  audit [SUBJECT]              who did what, the newest first

Prices are base units (10^-6 USDC) per million tokens. docs/managed.md says more.`;
const WALLET = /^0x[0-9a-fA-F]{40}$/;

endOnSignal();
outliveReaders(unasked);
try {
  process.stdout.write(`${await main()}\n`);
} catch (error) {
  process.stderr.write(`${plain(String(error.message))}\n`);
  process.exitCode = error instanceof Outcome ? error.code : unasked;
}

/** Without what would steer a terminal: words of providers stand in it. */
function plain(text) {
  return text.replace(/[^\P{C}\n\u200c\u200d]/gu, '?');
}

async function main() {
  const asked = readArguments();
  if (asked.values.help) return usage;
  const {
    catalogContracts: contracts,
    connectMessaging,
    RpcClient,
    CredentialSealer,
    SvcError,
  } = await loadLibraries();
  let messaging;
  // Only who asks for something that can be done needs a marketplace.
  const connected = () =>
    connectMessaging('setup', { ...asked.nats, tryOnce: true }).catch(({ message }) => {
      throw new Outcome(`no connection to NATS: ${message}`, unasked);
    });
  const rpc = async () => new RpcClient((messaging ??= await connected()));
  const shown = async () => (await rpc()).call(contracts.showCatalogue, {});
  const seal = async (owner, key) => (await readSealer(CredentialSealer, asked.gateway)).seal(owner, key);
  try {
    const { contract, request } = await callOf(contracts, asked, { shown, seal });
    return show(asked.command, await (await rpc()).call(contract, request));
  } catch (error) {
    if (error instanceof Outcome) throw error;
    if (SvcError.is(error)) throw outcomeOf(error);
    throw new Outcome(`the catalogue did not answer: ${error.message}`, unasked);
  } finally {
    await messaging?.connection.close();
  }
}

/** What the catalogue answered. Its fault, or that of what it needs, refuses nothing; and its words for the former are meant for buyers. */
function outcomeOf({ code, message }) {
  if (code === 'internal_error') return new Outcome('the catalogue failed: its log says why', unasked);
  return new Outcome(message, code === 'no_capacity' ? unasked : refused);
}

function readArguments() {
  const options = {
    ...{ reason: { type: 'string' }, actor: { type: 'string' }, nats: { type: 'string' } },
    ...{ gateway: { type: 'string' }, help: { type: 'boolean', short: 'h' }, ...managedOptions },
  };
  let parsed, local;
  try {
    const { environment, rest } = takeEnvironment(process.argv.slice(2));
    local = environment;
    parsed = parseArgs({ args: rest, allowPositionals: true, allowNegative: true, options });
  } catch (error) {
    throw called(error.message.split('\n')[0]);
  }
  const { values, positionals } = parsed;
  if (values.help) return { values };
  const [command, subject] = verbOf(positionals);
  // A local marketplace that is named goes before the variables; another one's keys are not sealed for the local one.
  const named = values.nats ?? (local ? undefined : process.env.SVC_OPERATOR_NATS_URL);
  const environment = local ?? 'testnet';
  const ready = named === undefined ? readReady(environment) : undefined;
  const url = named ?? ready?.natsUrl;
  if (url === undefined) {
    throw new Outcome(
      `no ${environment} marketplace runs here: name the other with --environment, or say with --nats URL whom to ask`,
      unasked,
    );
  }
  return {
    command,
    subject,
    values,
    reason: values.reason,
    actor: values.actor ?? userInfo().username,
    nats: serverOf(url),
    gateway: values.gateway ?? ready?.gateway ?? process.env.SVC_OPERATOR_GATEWAY_URL,
  };
}

/** Called wrongly: what is wrong stands before how it is done. */
function called(wrong) {
  return new Outcome(`${wrong}\n${usage}`, unasked);
}

/** `managed` has commands of its own. */
function verbOf([command, ...rest]) {
  const verb = command === 'managed' && rest.length > 0 ? `managed ${rest.shift()}` : command;
  if (verb === undefined) throw new Outcome(usage, unasked);
  if (rest.length > 1) throw called(`${verb} takes no "${rest[1]}"`);
  return [verb, rest[0]];
}

/** Both environments may have been told to use one directory. */
function readReady(environment) {
  try {
    const ready = JSON.parse(readFileSync(join(stateDirOf(environment), 'ready.json'), 'utf8'));
    return ready.environment === environment ? ready : undefined;
  } catch {
    return undefined;
  }
}

/** One server's URL, or several with commas between: who asks is the same for all. */
function serverOf(text) {
  const servers = text.split(',').map((server) => server.trim());
  if (!servers.every((server) => URL.canParse(server))) throw new Outcome('--nats is no URL', unasked);
  const urls = servers.map((server) => new URL(server));
  const named = urls.find(({ username }) => username !== '');
  if (named === undefined) return { natsUrl: text };
  const [natsUser, natsPassword] = [named.username, named.password].map(decodeURIComponent);
  return {
    natsUrl: urls.map(({ protocol, host }) => `${protocol}//${host}`).join(','),
    natsUser,
    natsPassword,
  };
}

/** The contract that does it, and its request. */
async function callOf(contracts, asked, { shown, seal }) {
  const { command, subject, reason, actor, values } = asked;
  const isWallet = WALLET.test(subject ?? '');
  const why = () => {
    if (subject === undefined) throw called(`${command} needs to know what`);
    if (!reason?.trim()) throw new Outcome(`say why: ${command} needs --reason`, unasked);
    return { reason, actor };
  };
  const act = () => {
    const words = why();
    if (!isWallet && subject.startsWith('0x'))
      throw new Outcome(`${subject} is no wallet: 0x and 40 hexadecimal digits`, unasked);
    return isWallet ? { provider: subject.toLowerCase(), ...words } : { offerId: subject, ...words };
  };
  const apply = (definitions) => ({
    contract: contracts.applyCatalogue,
    request: { models: [], bundles: [], profiles: [], ...definitions, actor, ...(reason && { reason }) },
  });
  switch (command) {
    case 'define':
      return apply(readDefinitions(subject));
    case 'provider':
      if (!isWallet) throw new Outcome('provider needs a wallet, 0x…', unasked);
      return { contract: contracts.showProvider, request: { provider: subject.toLowerCase() } };
    case 'suspend':
      return { contract: isWallet ? contracts.suspendProvider : contracts.suspendOffer, request: act() };
    case 'reinstate':
      return { contract: isWallet ? contracts.reinstateProvider : contracts.reinstateOffer, request: act() };
    case 'certify':
      if (isWallet) throw new Outcome('certify needs an offer, ofr_…', unasked);
      return { contract: contracts.certifyOffer, request: act() };
    case 'managed':
      return { contract: contracts.showCatalogue, request: {} };
    case 'audit':
      return {
        contract: contracts.listAudit,
        request: { subject: isWallet ? subject.toLowerCase() : subject },
      };
    default: {
      const define = managedCommands[command];
      if (!define) throw called(`there is no command "${command}"`);
      why();
      return apply(await define(subject, values, { shown: await shown(), seal }));
    }
  }
}

function readDefinitions(file) {
  if (file === undefined) throw called('define needs a file');
  let definitions;
  try {
    definitions = JSON.parse(readFileSync(fileOfCaller(file), 'utf8'));
  } catch (error) {
    throw new Outcome(`cannot read ${file}: ${error.code ?? 'it is not JSON'}`, unasked);
  }
  // What else stands in a file is the seed's: of one with none of these, a name is mistyped.
  const lists = ['models', 'bundles', 'profiles', 'routingModels'];
  if (!lists.some((name) => definitions?.[name] !== undefined))
    throw new Outcome(`${file} holds no definitions: {"models": […], …}`, unasked);
  const { models = [], bundles = [], profiles = [], routingModels = [] } = definitions;
  return { models, bundles, profiles, routingModels };
}

/** What keys are sealed for, as the market says itself: over a way on which nobody else can answer. */
async function readSealer(CredentialSealer, gateway) {
  if (gateway === undefined || !URL.canParse(gateway)) {
    throw new Outcome('a key is sealed for the market: say with --gateway URL where it is', unasked);
  }
  const { protocol, hostname } = new URL(gateway);
  if (protocol !== 'https:' && !['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) {
    throw new Outcome(
      '--gateway must be an https URL: whoever changed what it says could read the key',
      unasked,
    );
  }
  const patience = { signal: AbortSignal.timeout(10_000), redirect: 'error' };
  try {
    const reply = await fetch(new URL('/v1/supply/terms', gateway), patience);
    return new CredentialSealer((await reply.json()).credential_public_key);
  } catch {
    throw new Outcome(`${gateway} does not tell what keys are sealed for`, unasked);
  }
}

async function loadLibraries() {
  if (!existsSync(join(root, 'libs/messaging/dist/index.js'))) await prepare();
  const require = createRequire(import.meta.url);
  const names = ['@svc/contracts', '@svc/errors', '@svc/messaging', '@svc/credential-seal'];
  return Object.assign({}, ...names.map((name) => require(name)));
}

function show(command, reply) {
  if (Object.keys(reply).length === 0) return 'done';
  if (command !== 'audit') return plain(JSON.stringify(reply, null, 2));
  const lines = reply.entries.map(({ at, actor, action, subject, reason }) =>
    plain(
      [at, action.padEnd(20), subject, `by ${actor}`, ...(reason ? [`because ${reason}`] : [])]
        .join('  ')
        .replaceAll('\n', ' '),
    ),
  );
  if (reply.next !== null) lines.push('… and older ones, which the portal shows');
  return lines.length === 0 ? 'nothing yet' : lines.join('\n');
}
