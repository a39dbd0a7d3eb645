import { connectChain, settlementCreation } from '@svc/contracts-evm';
import { Wallet, getAddress, getCreateAddress } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { inOperatorsTerms } from './settlement/chain-words';
import { differencesAt } from './settlement/deployed-settlement';
import { isUnderWay, send, signDeployment } from './settlement/deployment';
import type { Place } from './settlement/deployment';
import { newestBlock, untilFinal } from './settlement/finality';
import type { Awaited } from './settlement/finality';
import { remainingWork, termsInWords } from './settlement/report';
import type { SettlementConfig } from './settlement/settlement.config';
import { requireUsdc } from './settlement/usdc-check';
import { readState, writeState } from './setup-state';
import type { SetupState } from './setup-state';
import { StepError } from './step-error';

/** The deployer's earlier transactions are looked through for the contract: an account made for this has few. */
const MOST_EARLIER_TRANSACTIONS = 20;

/**
 * Sees to it that there is one Settlement for a token that is there: deploys it, unless the deployer has, and says what
 * is left to do. Whatever ends it, it may be run again: an account's transactions are numbered, and of one number the
 * chain takes one.
 * @param say takes a line for the operator
 * @throws StepError for what its operator can mend
 */
export async function runSettlement(
  config: SettlementConfig,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const provider = await connectChain({ rpcUrl: config.chainRpcUrl, chainId: BigInt(config.chainId) });
    try {
      await settle({ config, provider, say, signal });
    } finally {
      provider.destroy();
    }
  } catch (error) {
    throw inOperatorsTerms(error);
  }
}

interface Step {
  config: SettlementConfig;
  provider: JsonRpcProvider;
  say: (line: string) => void;
  signal: AbortSignal;
}

async function settle(step: Step): Promise<void> {
  const { config, provider, say, signal } = step;
  const { chainId, confirmations, terms } = config;
  const deployer = new Wallet(config.deployerKey, provider);
  const token = await requireUsdc(terms.usdc, provider);
  const plan = { chainId, token, deployer: deployer.address, terms };
  for (const line of await termsInWords(provider, plan)) say(line);
  const state = await readState(config.stateFile);
  const awaited = await inPlace(step, state, deployer);
  const deployBlock = await untilFinal({ provider, confirmations, say, signal }, awaited);
  const { address } = awaited;
  refuseOthers(address, await differencesAt(address, terms, provider, 'latest'));
  await remember(config, { ...state, deployBlock }, awaited);
  for (const line of await remainingWork(provider, { chainId, terms, address, deployBlock })) say(line);
}

/** The contract that is there, or one on its way. */
async function inPlace(step: Step, state: SetupState, deployer: Wallet): Promise<Awaited> {
  const { provider } = step;
  const { hash } = await newestBlock(provider);
  // Read once: a transaction of an earlier run that comes into a block meanwhile still has this number.
  const open = { from: deployer.address, nonce: await provider.getTransactionCount(deployer.address, hash) };
  return (await existing(step, state, open, hash)) ?? begin(step, state, open, deployer);
}

/** The contract that the state file names or the deployer has made. @throws StepError when its terms are others */
async function existing(
  { config, provider, say }: Step,
  state: SetupState,
  { from, nonce: next }: Place,
  block: string,
): Promise<Awaited | undefined> {
  if (next > MOST_EARLIER_TRANSACTIONS) {
    const remedy = 'take an account made for this, so that its contract is found again';
    throw new StepError(`the deployer ${from} has sent ${next} transactions: ${remedy}`);
  }
  const made = Array.from({ length: next }, (_, nonce) => getCreateAddress({ from, nonce })).reverse();
  const known = state.chainId === config.chainId && state.settlement ? [state.settlement] : [];
  for (const address of [...known, ...made].map(getAddress)) {
    const differences = await differencesAt(address, config.terms, provider, block);
    if (!differences) continue;
    refuseOthers(address, differences);
    say(`it is there already, at ${address}: nothing is sent`);
    return { address, transactions: transactionsOf(state, address) };
  }
  return undefined;
}

/** Sends the deployment, unless one is on its way. The state file knows it first. */
async function begin(
  { config, provider, say }: Step,
  state: SetupState,
  open: Place,
  deployer: Wallet,
): Promise<Awaited> {
  const address = getCreateAddress(open);
  const transactions = transactionsOf(state, address);
  if (await isUnderWay(provider, open)) {
    say('a transaction of the deployer is on its way already: waits for what comes of it, sends none');
    return { address, transactions, open };
  }
  const data = settlementCreation(config.terms);
  const signed = await signDeployment(deployer, provider, { data, nonce: open.nonce }, say);
  const awaited = { address, transactions: [...transactions, signed.hash], open, signed };
  await remember(config, { ...state, deployBlock: undefined }, awaited);
  say(`sends ${signed.hash}, which puts it at ${address}`);
  const refusal = await send(provider, signed);
  if (refusal === undefined) return awaited;
  throw new StepError(`the server at CHAIN_RPC_URL refuses it: ${refusal}. It is safe to run this again`);
}

function transactionsOf(state: SetupState, address: string): string[] {
  return state.settlement === address.toLowerCase() ? (state.deployTransactions ?? []) : [];
}

function remember(config: SettlementConfig, state: SetupState, awaited: Awaited): Promise<void> {
  return writeState(config.stateFile, {
    ...state,
    chainId: config.chainId,
    usdc: config.terms.usdc.toLowerCase(),
    settlement: awaited.address.toLowerCase(),
    deployTransactions: [...awaited.transactions],
  });
}

function refuseOthers(address: string, differences: string[] | undefined): void {
  if (differences?.length === 0) return;
  if (!differences) throw new StepError(`the contract is gone from ${address}. Run this again`);
  const remedy = 'Another one takes another CHAIN_DEPLOYER_KEY and STATE_FILE';
  throw new StepError(`at ${address} is a Settlement with other terms: ${differences.join('; ')}. ${remedy}`);
}
