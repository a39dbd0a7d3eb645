import { ContractFactory } from 'ethers';
import type { ContractDeployTransaction, JsonFragment, Signer } from 'ethers';
import { SettlementArtifact } from './generated/settlement';
import { TestUSDCArtifact } from './generated/test-usdc';
import type { SettlementCaps } from './settlement.binding';
import { DEFAULT_CAPS } from './settlement-creation';

/** Who may do what, and the caps to begin with. Every role is the deployer's unless told. */
export interface DeployOptions {
  /** Where pulled tokens go, for good, and payouts come from: as much as it lets the contract spend. */
  treasury?: string;
  /** Grants roles, changes caps, ends a pause; owns the test token. */
  admin?: string;
  /** Sends batches. */
  settler?: string;
  /** Publishes what providers have earned; not the settler, so that no one key both takes and gives. */
  payer?: string;
  /** Pauses settlement and payouts. */
  pauser?: string;
  /** {@link DEFAULT_CAPS} unless told. */
  caps?: SettlementCaps;
  /** Longest wait for each of the two deployments; 60 s unless told. */
  timeoutMs?: number;
}

/** Where the contracts are. */
export interface DeployedContracts {
  usdc: string;
  settlement: string;
  /** The settlement contract's block: there is nothing of it to read before. */
  deployBlock: number;
}

/**
 * Deploys TestUSDC and a Settlement that collects it, and waits until both are in a block. For local and test chains;
 * against real USDC only a Settlement is wanted (`settlementCreation`).
 * @throws ethers' errors: no funds for gas, `TIMEOUT` after `timeoutMs`
 */
export async function deployContracts(
  signer: Signer,
  options: DeployOptions = {},
): Promise<DeployedContracts> {
  const deployer = await signer.getAddress();
  const admin = options.admin ?? deployer;
  const timeoutMs = options.timeoutMs ?? 60_000;
  const usdc = await deploy(TestUSDCArtifact, [admin], signer, timeoutMs);
  const roles = {
    admin,
    settler: options.settler ?? deployer,
    payer: options.payer ?? deployer,
    pauser: options.pauser ?? deployer,
  };
  const settlement = await deploy(
    SettlementArtifact,
    [usdc.address, options.treasury ?? deployer, roles, options.caps ?? DEFAULT_CAPS],
    signer,
    timeoutMs,
  );
  return { usdc: usdc.address, settlement: settlement.address, deployBlock: settlement.blockNumber };
}

async function deploy(
  artifact: { abi: JsonFragment[]; bytecode: string },
  args: unknown[],
  signer: Signer,
  timeoutMs: number,
): Promise<{ address: string; blockNumber: number }> {
  const factory = new ContractFactory(artifact.abi, artifact.bytecode, signer);
  const transaction: ContractDeployTransaction = await factory.getDeployTransaction(...args);
  const sent = await signer.sendTransaction(transaction);
  const receipt = await sent.wait(1, timeoutMs);
  if (!receipt?.contractAddress) throw new Error(`deployment ${sent.hash} created no contract`);
  return { address: receipt.contractAddress, blockNumber: receipt.blockNumber };
}
