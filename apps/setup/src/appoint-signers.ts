import { settlementAt } from '@svc/contracts-evm';
import type { DeployedContracts } from '@svc/contracts-evm';
import { Wallet } from 'ethers';
import type { JsonRpcProvider, TransactionResponse } from 'ethers';
import { isDevelopmentNode } from './development-node';
import type { ContractsConfig } from './setup.config';

/** Below it an account is given gas where that costs nobody anything: 1 ETH. */
const LOW_GAS = 10n ** 18n;
const GAS_GIVEN = 100n * LOW_GAS;

/**
 * Sees to it that billing's accounts may do their work: the settler collects, the payer says what providers have earned.
 * @returns how many transactions that took
 * @throws ethers' errors; CALL_EXCEPTION when the deployer is not the contract's admin
 */
export async function appointSigners(
  provider: JsonRpcProvider,
  config: Pick<ContractsConfig, 'deployerKey' | 'settler' | 'payer' | 'timeoutMs'>,
  { settlement }: DeployedContracts,
): Promise<number> {
  const deployer = new Wallet(config.deployerKey, provider);
  const contract = settlementAt(settlement, deployer);
  let sent = 0;
  const inBlock = async (sending: Promise<TransactionResponse>): Promise<void> => {
    await (await sending).wait(1, config.timeoutMs);
    sent += 1;
  };
  const roles = [
    [config.settler, contract.SETTLER_ROLE],
    [config.payer, contract.PAYER_ROLE],
  ] as const;
  for (const [account, roleOf] of roles) {
    if (account === undefined) continue;
    const role = await roleOf();
    if (!(await contract.hasRole(role, account))) await inBlock(contract.grantRole(role, account));
    await giveGas(provider, account);
  }
  return sent;
}

/** On a development node only: elsewhere whoever runs the account sees to its gas. */
async function giveGas(provider: JsonRpcProvider, account: string): Promise<void> {
  if (!(await isDevelopmentNode(provider)) || (await provider.getBalance(account)) >= LOW_GAS) return;
  await provider.send('anvil_setBalance', [account, `0x${GAS_GIVEN.toString(16)}`]);
}
