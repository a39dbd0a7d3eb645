import {
  connectChain,
  deployContracts,
  isChainError,
  isUnknownCall,
  readMeans,
  settlementAt,
  testUsdcAt,
} from '@svc/contracts-evm';
import type { DeployedContracts } from '@svc/contracts-evm';
import type { Logger } from '@svc/observability';
import { Wallet } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { appointSigners } from './appoint-signers';
import type { ContractsConfig } from './setup.config';
import { readState, writeState } from './setup-state';
import type { SetupState } from './setup-state';

/** What the treasury lets the contract pay out: 1,000,000 USDC, renewed when half of it is gone. */
const PAYOUT_ALLOWANCE = 1_000_000_000_000n;

/**
 * Sees to it that the contracts are on the chain: reuses those the state file names when they work there, else deploys
 * new ones and names those. Then lets billing's accounts do their work there.
 * @throws ChainError `wrong_chain`; Error when the addresses are not the ones the services were told
 */
export async function runContracts(config: ContractsConfig, logger: Logger): Promise<void> {
  const provider = await connectChain({ rpcUrl: config.chainRpcUrl, chainId: BigInt(config.chainId) });
  try {
    const state = await readState(config.stateFile);
    const known = await workingContracts(provider, config, state);
    const contracts = known ?? (await deploy(provider, config));
    logger.info(contracts, known ? 'contracts are in place' : 'contracts deployed');
    requireTold(config, contracts);
    if (!known) await writeState(config.stateFile, { ...state, chainId: config.chainId, ...contracts });
    const transactions = await appointSigners(provider, config, contracts);
    if (transactions > 0) logger.info({ transactions }, 'signers appointed');
    await allowPayouts(provider, config, contracts);
  } finally {
    provider.destroy();
  }
}

/** The contracts the state file names, if they answer as today's contracts do; a new chain or new code has others. */
async function workingContracts(
  provider: JsonRpcProvider,
  config: ContractsConfig,
  state: SetupState,
): Promise<DeployedContracts | undefined> {
  const { usdc, settlement, deployBlock, chainId } = state;
  if (!usdc || !settlement || deployBlock === undefined || chainId !== config.chainId) return undefined;
  try {
    await readMeans(provider, { usdc, settlement, wallets: [usdc], blockTag: 'latest' });
    // The contract's first form, which knew no payouts, does not answer this.
    await settlementAt(settlement, provider).totalPaid();
    return { usdc, settlement, deployBlock };
  } catch (error) {
    if (isChainError(error, 'no_contract') || isChainError(error, 'wrong_token')) return undefined;
    if (isUnknownCall(error)) return undefined;
    throw error;
  }
}

async function deploy(provider: JsonRpcProvider, config: ContractsConfig): Promise<DeployedContracts> {
  const deployer = new Wallet(config.deployerKey, provider);
  const { usdc, settlement, deployBlock } = await deployContracts(deployer, {
    treasury: config.treasury,
    settler: config.settler,
    payer: config.payer,
    timeoutMs: config.timeoutMs,
  });
  return { usdc: usdc.toLowerCase(), settlement: settlement.toLowerCase(), deployBlock };
}

/**
 * Lets the contract pay providers from the treasury, where that is the deployer's own account. Any other treasury gives
 * its approval itself, for as much as it would have paid out without looking.
 */
async function allowPayouts(
  provider: JsonRpcProvider,
  config: ContractsConfig,
  { usdc, settlement }: DeployedContracts,
): Promise<void> {
  const deployer = new Wallet(config.deployerKey, provider);
  const treasury = await settlementAt(settlement, provider).treasury();
  if (treasury !== deployer.address) return;
  const token = testUsdcAt(usdc, deployer);
  if ((await token.allowance(treasury, settlement)) >= PAYOUT_ALLOWANCE / 2n) return;
  const sent = await token.approve(settlement, PAYOUT_ALLOWANCE);
  await sent.wait(1, config.timeoutMs);
}

/** Services that were told the addresses beforehand would watch nothing, silently: better to stop here. */
function requireTold(config: ContractsConfig, contracts: DeployedContracts): void {
  const told = [
    ['CHAIN_USDC_ADDRESS', config.usdcAddress, contracts.usdc],
    ['CHAIN_SETTLEMENT_ADDRESS', config.settlementAddress, contracts.settlement],
  ] as const;
  for (const [variable, expected, actual] of told) {
    if (expected && expected.toLowerCase() !== actual) {
      throw new Error(`${variable} says ${expected}, but the contract is at ${actual}`);
    }
  }
}
