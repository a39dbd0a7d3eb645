import { ContractFactory } from 'ethers';
import type { Signer } from 'ethers';
import { TestContractWalletArtifact } from './generated/test-contract-wallet';

const MANNERS = { honest: 0, reverts: 1, answersShort: 2, burnsGas: 3 } as const;

/** How a contract wallet answers whether a signature is its own: as it should, or as one that is up to something. */
export type ContractWalletManner = keyof typeof MANNERS;

/**
 * Deploys a wallet that takes the signatures of `owner` for its own (EIP-1271). For tests only.
 * @returns its address
 * @throws ethers' errors
 */
export async function deployTestContractWallet(
  signer: Signer,
  owner: string,
  manner: ContractWalletManner = 'honest',
): Promise<string> {
  const { abi, bytecode } = TestContractWalletArtifact;
  const contract = await new ContractFactory(abi, bytecode, signer).deploy(owner, MANNERS[manner]);
  await contract.waitForDeployment();
  return contract.getAddress();
}
