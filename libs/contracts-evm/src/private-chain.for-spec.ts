import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, localChainId, startAnvil } from '@svc/local-servers';
import { beginChainDay } from '@svc/testing';
import { isError } from 'ethers';
import type { ContractTransactionResponse, Interface, JsonRpcProvider, JsonRpcSigner } from 'ethers';
import { connectChain, deployContracts, settlementAt, testUsdcAt } from './index';
import type { DeployedContracts, DeployOptions, Due, Settlement, TestUsdc } from './index';

/** A chain of the spec's own, on which a day has just begun: it may jump in time and be rolled back. Signers are the node's funded accounts. */
export interface PrivateChain {
  provider: JsonRpcProvider;
  signer(index: number): Promise<JsonRpcSigner>;
  stop(): Promise<void>;
}

export async function startPrivateChain(): Promise<PrivateChain> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-contracts-'));
  const server = await startAnvil({ dataDir, port: await freePort() });
  const provider = await connectChain({
    rpcUrl: server.url,
    chainId: BigInt(localChainId),
    pollingIntervalMs: 20,
  });
  await beginChainDay(provider);
  return {
    provider,
    signer: (index) => provider.getSigner(index),
    stop: async () => {
      provider.destroy();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Freshly deployed contracts, spoken to by the deployer, who has every role. */
export interface Deployment extends DeployedContracts {
  token: TestUsdc;
  contract: Settlement;
  treasury: string;
}

export async function deployFresh(chain: PrivateChain, options: DeployOptions = {}): Promise<Deployment> {
  const deployer = await chain.signer(0);
  const treasury = options.treasury ?? (await chain.signer(9)).address;
  const deployed = await deployContracts(deployer, { treasury, ...options });
  return {
    ...deployed,
    treasury,
    token: testUsdcAt(deployed.usdc, deployer),
    contract: settlementAt(deployed.settlement, deployer),
  };
}

/** Waits until the transaction is in a block and gives its receipt. */
export async function mined(sent: Promise<ContractTransactionResponse>) {
  const receipt = await (await sent).wait();
  if (!receipt) throw new Error('no receipt');
  return receipt;
}

/** The name of the contract's custom error a call was refused with; throws when it was not refused with one. */
export async function refusal(call: Promise<unknown>, abi: Interface): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (isError(error, 'CALL_EXCEPTION') && error.data) return abi.parseError(error.data)?.name ?? error.data;
    throw error;
  }
  throw new Error('the call was not refused');
}

/** Names and arguments of the contract's events in a transaction, in order. */
export async function eventsOf(sent: Promise<ContractTransactionResponse>, abi: Interface) {
  const { logs } = await mined(sent);
  return logs.flatMap((log) => {
    const event = abi.parseLog(log);
    return event ? [{ name: event.name, args: event.args.toObject() as Record<string, unknown> }] : [];
  });
}

/** A 32-byte value told apart by `label`. */
export function bytes32(label: number): string {
  return `0x${label.toString(16).padStart(64, '0')}`;
}

export function due(payer: string, cumulative: bigint, label = 7): Due {
  return { payer, cumulative, root: bytes32(label) };
}
