import { BaseContract, Interface } from 'ethers';
import type { BaseContractMethod, ContractRunner, ContractTransactionResponse } from 'ethers';
import { TestUSDCArtifact } from './generated/test-usdc';

type View<Args extends unknown[], Result> = BaseContractMethod<Args, Result, Result>;
type Transaction<Args extends unknown[]> = BaseContractMethod<Args, void, ContractTransactionResponse>;

/** The functions of TestUSDC that this project calls. Amounts are base units (10^-6 tokens). */
interface TestUsdcMethods {
  name: View<[], string>;
  symbol: View<[], string>;
  decimals: View<[], bigint>;
  balanceOf: View<[account: string], bigint>;
  allowance: View<[owner: string, spender: string], bigint>;
  nonces: View<[owner: string], bigint>;
  isBlacklisted: View<[account: string], boolean>;
  paused: View<[], boolean>;
  FAUCET_CAP: View<[], bigint>;
  faucet: Transaction<[to: string, amount: bigint]>;
  approve: Transaction<[spender: string, amount: bigint]>;
  transfer: Transaction<[to: string, amount: bigint]>;
  transferFrom: Transaction<[from: string, to: string, amount: bigint]>;
  permit: Transaction<
    [owner: string, spender: string, amount: bigint, deadline: bigint, v: number, r: string, s: string]
  >;
  blacklist: Transaction<[account: string]>;
  unBlacklist: Transaction<[account: string]>;
  pause: Transaction<[]>;
  unpause: Transaction<[]>;
}

/** An ethers contract with {@link TestUsdcMethods}. */
export type TestUsdc = BaseContract & TestUsdcMethods;

/** Read once: reading it takes ethers longer than a call does. */
const INTERFACE = new Interface(TestUSDCArtifact.abi);

/** The test token at `address`; `runner` is a provider for reading, a signer for sending. */
export function testUsdcAt(address: string, runner: ContractRunner): TestUsdc {
  return BaseContract.from<TestUsdcMethods>(address, INTERFACE, runner);
}
