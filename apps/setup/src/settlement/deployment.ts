import { isCodeFailure } from '@svc/contracts-evm';
import { formatEther, keccak256 } from 'ethers';
import type { JsonRpcProvider, Wallet } from 'ethers';
import { StepError } from '../step-error';
import { failureWords, serverWords } from './chain-words';

/** An account's transaction of that number: the chain takes one. */
export interface Place {
  from: string;
  nonce: number;
}

export interface SignedDeployment extends Place {
  hash: string;
  raw: string;
}

/** What the constructor takes is known beforehand; servers differ in how they estimate. */
const GAS_MARGIN_PERCENT = 130n;

/**
 * Signs the deployment, at the fees that are usual now.
 * @param say is told what the account has and needs
 * @throws StepError when the account has too little, or the contract cannot be made
 */
export async function signDeployment(
  deployer: Wallet,
  provider: JsonRpcProvider,
  { data, nonce }: { data: string; nonce: number },
  say: (line: string) => void,
): Promise<SignedDeployment> {
  const from = deployer.address;
  const gasLimit = ((await estimate(provider, from, data)) * GAS_MARGIN_PERCENT) / 100n;
  const transaction = await deployer.populateTransaction({ data, nonce, gasLimit });
  const most = gasLimit * BigInt(transaction.maxFeePerGas ?? transaction.gasPrice ?? 0);
  const balance = await provider.getBalance(from);
  say(
    `the deployer has ${formatEther(balance)} of the chain's coin and needs at most ${formatEther(most)} for gas`,
  );
  if (balance < most) {
    throw new StepError(
      `${from}, the deployer, has too little for gas: send it at least ${formatEther(most - balance)} and run this again`,
    );
  }
  const raw = await deployer.signTransaction(transaction);
  return { from, nonce, hash: keccak256(raw), raw };
}

/**
 * Hands it to the server.
 * @returns the server's refusal; undefined where it may be on its way
 */
export async function send(provider: JsonRpcProvider, signed: SignedDeployment): Promise<string | undefined> {
  try {
    await provider.send('eth_sendRawTransaction', [signed.raw]);
    return undefined;
  } catch (error) {
    // A lost answer says nothing, a refusal only where the server has nothing of that nonce.
    const refusal = serverWords(error);
    return refusal !== undefined && !(await isUnderWay(provider, signed)) ? refusal : undefined;
  }
}

/** Whether the server has one for it, in a block or waiting for one. */
export async function isUnderWay(provider: JsonRpcProvider, { from, nonce }: Place): Promise<boolean> {
  return (await provider.getTransactionCount(from, 'pending')) > nonce;
}

async function estimate(provider: JsonRpcProvider, from: string, data: string): Promise<bigint> {
  try {
    return await provider.estimateGas({ from, data });
  } catch (error) {
    if (!isCodeFailure(error)) throw error;
    throw new StepError(`this chain cannot take the contract: ${failureWords(error)}`);
  }
}
