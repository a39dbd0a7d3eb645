import { isUnknownCall } from '@svc/contracts-evm';
import { BaseContract, Interface } from 'ethers';
import type { BaseContractMethod, Provider } from 'ethers';
import { StepError } from '../step-error';

type View<Args extends unknown[], Result> = BaseContractMethod<Args, Result, Result>;

interface TokenMethods {
  name: View<[], string>;
  symbol: View<[], string>;
  decimals: View<[], bigint>;
  DOMAIN_SEPARATOR: View<[], string>;
}

const INTERFACE = new Interface([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
]);

/**
 * Sees to it that the token is USDC as far as it can tell: the contract collects it for good.
 * @returns its name and symbol
 * @throws StepError when there is none, it goes by another symbol, has other decimals than 6 or no permits (EIP-2612)
 */
export async function requireUsdc(address: string, provider: Provider): Promise<string> {
  const refuse = (reason: string) => new StepError(`CHAIN_USDC_ADDRESS is not USDC's: ${reason}`);
  if ((await provider.getCode(address)) === '0x') throw refuse(`there is no contract at ${address}`);
  const token = BaseContract.from<TokenMethods>(address, INTERFACE, provider);
  const [name, symbol, decimals, domain] = await Promise.all([
    answered(token.name()),
    answered(token.symbol()),
    answered(token.decimals()),
    answered(token.DOMAIN_SEPARATOR()),
  ]);
  // As JSON: what steers a terminal is escaped.
  const known = `${JSON.stringify(name ?? '')} (${JSON.stringify(symbol ?? '')})`;
  if (!symbol?.includes('USDC')) throw refuse(`${address} is ${known}`);
  if (decimals !== 6n) throw refuse(`${known} has ${decimals ?? 'no'} decimals, not 6`);
  if (domain === undefined) throw refuse(`${known} takes no permits (EIP-2612)`);
  return known;
}

/** Undefined where the token does not know the question. */
async function answered<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isUnknownCall(error)) return undefined;
    throw error;
  }
}
