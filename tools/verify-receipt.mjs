/**
 * `npm run verify-receipt -- FILE [--rpc URL] [--contract 0x…]`: checks a receipt against the chain alone. FILE is `-` for
 * standard input. What is not given is the local marketplace's, of the test network or the `--environment` that is named: its chain, and
 * the contract that its setup deployed.
 * Ends with 0 when the receipt holds, 1 when it is refused, 2 when it could not be checked.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stateDirOf, takeEnvironment } from './environments.mjs';
import { isInstalled, prepare, root } from './prepare.mjs';
import { endOnSignal } from './run.mjs';
import { outliveReaders } from './standard-output.mjs';

const usage =
  'usage: npm run verify-receipt -- FILE [--environment NAME] [--rpc URL] [--contract 0x…]   (FILE - reads standard input)';
const [refused, unchecked] = [1, 2];

/** What ends the tool: a line for people and the exit code. */
class Outcome extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

endOnSignal();
outliveReaders(unchecked);
try {
  for (const line of await main()) process.stdout.write(`${plain(line)}\n`);
} catch (error) {
  process.stderr.write(`${plain(String(error.message).split('\n')[0])}\n`);
  process.exitCode = error instanceof Outcome ? error.code : unchecked;
}

/** A line without what would steer a terminal: words of the file stand in it. */
function plain(line) {
  return line.replace(/[\p{Cc}\p{Cf}]/gu, '?');
}

async function main() {
  const asked = readArguments();
  if (asked === undefined) return [usage];
  const { file, rpc, contract, deployBlock } = asked;
  const document = readDocument(file);
  const { evm, money } = await loadLibraries();
  try {
    const { settlement } = evm.readReceiptDocument(document);
    if (settlement === null) throw new evm.ReceiptError('not_settled', 'the receipt is not on chain yet');
    const provider = await connect(evm, rpc, settlement.chain_id);
    try {
      const verified = await evm.verifyReceipt(document, provider, { contract, deployBlock });
      return describe(verified, contract, money);
    } finally {
      provider.destroy();
    }
  } catch (error) {
    if (evm.isReceiptError(error)) throw new Outcome(`refused: ${error.message}`, refused);
    if (error instanceof Outcome) throw error;
    if (error.name === 'ChainError') throw new Outcome(error.message, unchecked);
    throw new Outcome(
      `the chain at ${rpc} did not answer: ${error.shortMessage ?? error.message}`,
      unchecked,
    );
  }
}

/** @returns undefined for whoever asks what there is to say */
function readArguments() {
  let parsed, named;
  try {
    const { environment, rest } = takeEnvironment(process.argv.slice(2));
    named = environment;
    const options = {
      rpc: { type: 'string' },
      contract: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    };
    parsed = parseArgs({ args: rest, allowPositionals: true, options });
  } catch (error) {
    throw new Outcome(`${error.message.split('\n')[0]}. ${usage}`, unchecked);
  }
  const { values, positionals } = parsed;
  if (values.help) return undefined;
  if (positionals.length !== 1) throw new Outcome(usage, unchecked);
  const { ready, setup } = readMarket(named);
  const rpc = values.rpc ?? ready.chainRpc;
  const contract = values.contract ?? ready.settlement ?? setup.settlement;
  if (!rpc) throw new Outcome('no marketplace runs here: say with --rpc URL which chain to ask', unchecked);
  if (!contract) throw new Outcome('say with --contract 0x… which contract to believe', unchecked);
  if (!/^https?:\/\//.test(rpc)) throw new Outcome(`--rpc ${rpc} is no http or https URL`, unchecked);
  if (!/^0x[0-9a-fA-F]{40}$/.test(contract)) {
    throw new Outcome(`--contract ${contract} is no address`, unchecked);
  }
  const isLocal = contract.toLowerCase() === setup.settlement?.toLowerCase();
  return { file: positionals[0], rpc, contract, deployBlock: isLocal ? setup.deployBlock : undefined };
}

/** What the local marketplace of an environment left. Both environments may have been told to use one directory. */
function readMarket(named) {
  const stateDir = stateDirOf(named ?? 'testnet');
  const [ready, setup] = ['ready.json', 'state.json'].map((name) => readState(join(stateDir, name)));
  const isAnother = named !== undefined && ready.environment !== undefined && ready.environment !== named;
  return isAnother ? { ready: {}, setup: {} } : { ready, setup };
}

/** A file of the local marketplace; empty where there is none. */
function readState(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function readDocument(file) {
  // npm runs scripts in the project's folder and names the one it was called in.
  const folder = process.env.npm_lifecycle_event === 'verify-receipt' ? process.env.INIT_CWD : undefined;
  let text;
  try {
    text = readFileSync(file === '-' ? 0 : resolve(folder ?? '.', file), 'utf8');
  } catch (error) {
    throw new Outcome(`cannot read ${file === '-' ? 'standard input' : file}: ${error.code}`, unchecked);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Outcome('refused: the file is not JSON', refused);
  }
}

async function connect(evm, rpcUrl, chainId) {
  try {
    return await evm.connectChain({ rpcUrl, chainId: BigInt(chainId) });
  } catch (error) {
    if (!evm.isChainError(error, 'wrong_chain')) throw error;
    throw new Outcome(`refused: settlement.chain_id is another chain's (${error.message})`, refused);
  }
}

/** The libraries that check; installed and built first when that was not done since they last changed. */
async function loadLibraries() {
  if (!isBuilt()) await prepare();
  const require = createRequire(import.meta.url);
  return { evm: require('@svc/contracts-evm'), money: require('@svc/money') };
}

function isBuilt() {
  return (
    isInstalled(root) &&
    ['contracts-evm', 'money'].every((name) => {
      const folder = join(root, 'libs', name);
      const sources = ['src', 'contracts', 'package.json'].map((part) => changedAt(join(folder, part)));
      return changedAt(join(folder, 'dist/index.js')) > Math.max(...sources);
    })
  );
}

/** When the newest thing at a path was changed, its specs aside; 0 where there is nothing. */
function changedAt(path) {
  if (!existsSync(path) || /(spec|-spec)\.ts$/.test(path)) return 0;
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

/** What was checked, in lines of words. */
function describe({ receipt, settlement, ...found }, contract, { formatUsdc }) {
  const { amount, cumulative, pulled, paid, blockNumber, transaction } = found;
  const usd = (baseUnits) => `${formatUsdc(baseUnits)} USDC`;
  const lines = [
    ['receipt', `${receipt.type} ${receipt.id} of ${receipt.created_at}, wallet ${receipt.wallet}`],
    ...(receipt.type === 'usage'
      ? describeUsage(receipt, usd(amount))
      : describeCredit(receipt, usd(amount))),
    ['contract', `${contract} on chain ${settlement.chain_id}, read at block ${blockNumber}`],
    ['batch', `${settlement.batch_id}: its root on chain is the one that the receipt leads to`],
    ['payment', `${usd(cumulative)} owed in all with this batch, ${usd(pulled)} pulled by now`],
  ];
  if (paid) lines.push(['transaction', transaction ?? 'paid; the transaction lies beyond what was searched']);
  else lines.push(['', 'in its batch, but not wholly paid yet: the rest is still to be pulled']);
  return ['The receipt holds.', ...lines.map(([title, text]) => `  ${title.padEnd(12)}${text}`)];
}

function describeUsage(receipt, cost) {
  const { prompt_tokens, completion_tokens, input_price_per_mtok, output_price_per_mtok } = receipt;
  const sum = `${prompt_tokens} × ${input_price_per_mtok} + ${completion_tokens} × ${output_price_per_mtok}`;
  return [
    ['served', `${receipt.model} by ${receipt.provider}, offer ${receipt.offer_id}`],
    ['cost', `${cost} = (${sum}) base units / 10^6, rounded up; ${receipt.held_usdc} USDC were held`],
  ];
}

function describeCredit(receipt, amount) {
  return [['given back', `${amount}: ${receipt.reason}`]];
}
