/**
 * `npm run operator -- COMMAND`: what operators do to the market, over NATS as the user `setup`. Each act needs a reason and stands in
 * the audit trail. Without `--nats` (or `SVC_OPERATOR_NATS_URL`) it is the local marketplace's server. Ends with 0, 1 when
 * the market refused, 2 when it could not be asked.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root, stateDir } from './prepare.mjs';
import { endOnSignal } from './run.mjs';

const usage = `usage: npm run operator -- COMMAND [--reason TEXT] [--actor NAME] [--nats URL]

  define FILE                  models, bundles, profiles (JSON) are added or redefined
  provider WALLET              how a provider and its offers stand
  suspend WALLET | OFFER       takes a provider or an offer off the market    (--reason)
  reinstate WALLET | OFFER     lets it back                                   (--reason)
  certify OFFER                has an offer certified anew                    (--reason)
  audit [SUBJECT]              who did what, the newest first`;
const [refused, unasked] = [1, 2];
const WALLET = /^0x[0-9a-fA-F]{40}$/;

/** What ends the tool: a line for people and the exit code. */
class Outcome extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

endOnSignal();
try {
  process.stdout.write(`${await main()}\n`);
} catch (error) {
  process.stderr.write(`${plain(String(error.message))}\n`);
  process.exitCode = error instanceof Outcome ? error.code : unasked;
}

/** Without what would steer a terminal: words of providers stand in it. */
function plain(text) {
  return text.replace(/[^\P{C}\n]/gu, '?');
}

async function main() {
  const { command, subject, reason, actor, nats } = readArguments();
  const { catalogContracts: contracts, connectMessaging, RpcClient } = await loadLibraries();
  const { contract, request } = callOf(contracts, { command, subject, reason, actor });
  const messaging = await connectMessaging('setup', nats);
  try {
    return show(command, await new RpcClient(messaging).call(contract, request));
  } catch (error) {
    const words = error.code === undefined ? 'the catalogue did not answer' : error.message;
    throw new Outcome(words, error.code === undefined ? unasked : refused);
  } finally {
    await messaging.connection.close();
  }
}

function readArguments() {
  const options = { reason: { type: 'string' }, actor: { type: 'string' }, nats: { type: 'string' } };
  let parsed;
  try {
    parsed = parseArgs({ allowPositionals: true, options });
  } catch (error) {
    throw new Outcome(`${error.message.split('\n')[0]}\n${usage}`, unasked);
  }
  const { values, positionals } = parsed;
  const [command, subject] = positionals;
  if (command === undefined || positionals.length > 2) throw new Outcome(usage, unasked);
  const url = values.nats ?? process.env.SVC_OPERATOR_NATS_URL ?? readyNatsUrl();
  if (url === undefined)
    throw new Outcome('no marketplace runs here: say with --nats URL whom to ask', unasked);
  return {
    command,
    subject,
    reason: values.reason,
    actor: values.actor ?? userInfo().username,
    nats: serverOf(url),
  };
}

function readyNatsUrl() {
  try {
    return JSON.parse(readFileSync(join(stateDir, 'ready.json'), 'utf8')).natsUrl;
  } catch {
    return undefined;
  }
}

function serverOf(text) {
  if (!URL.canParse(text)) throw new Outcome('--nats is no URL', unasked);
  const url = new URL(text);
  if (url.username === '') return { natsUrl: text };
  const [natsUser, natsPassword] = [url.username, url.password].map(decodeURIComponent);
  return { natsUrl: `${url.protocol}//${url.host}`, natsUser, natsPassword };
}

/** The contract that does it, and its request. */
function callOf(contracts, { command, subject, reason, actor }) {
  const isWallet = WALLET.test(subject ?? '');
  const act = () => {
    if (subject === undefined) throw new Outcome(usage, unasked);
    if (!reason) throw new Outcome(`say why: ${command} needs --reason`, unasked);
    return isWallet
      ? { provider: subject.toLowerCase(), reason, actor }
      : { offerId: subject, reason, actor };
  };
  switch (command) {
    case 'define':
      return { contract: contracts.applyCatalogue, request: readDefinitions(subject) };
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
    case 'audit':
      return { contract: contracts.listAudit, request: subject === undefined ? {} : { subject } };
    default:
      throw new Outcome(usage, unasked);
  }
}

function readDefinitions(file) {
  if (file === undefined) throw new Outcome(usage, unasked);
  // npm runs scripts in the project's folder and names the one it was called in.
  const folder = process.env.npm_lifecycle_event === 'operator' ? process.env.INIT_CWD : undefined;
  try {
    const {
      models = [],
      bundles = [],
      profiles = [],
    } = JSON.parse(readFileSync(resolve(folder ?? '.', file), 'utf8'));
    return { models, bundles, profiles };
  } catch (error) {
    throw new Outcome(`cannot read ${file}: ${error.code ?? 'it is not JSON'}`, unasked);
  }
}

async function loadLibraries() {
  if (!existsSync(join(root, 'libs/messaging/dist/index.js'))) await prepare();
  const require = createRequire(import.meta.url);
  return { ...require('@svc/contracts'), ...require('@svc/messaging') };
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
  return lines.length === 0 ? 'nothing yet' : lines.join('\n');
}
