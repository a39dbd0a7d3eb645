import { isUnknownCall, settlementAt } from '@svc/contracts-evm';
import type { Settlement, SettlementTerms } from '@svc/contracts-evm';
import type { Provider } from 'ethers';

const CAP_VARIABLES = {
  payerDay: 'CHAIN_CAP_PAYER_DAY',
  allDay: 'CHAIN_CAP_ALL_DAY',
  payoutDay: 'CHAIN_CAP_PAYOUT_DAY',
} as const;

/**
 * In what the contract at `address` is not as `terms` have it.
 * @param block a hash, or "latest"
 * @returns a line for each difference; undefined when there is no Settlement
 */
export async function differencesAt(
  address: string,
  terms: SettlementTerms,
  provider: Provider,
  block: string,
): Promise<string[] | undefined> {
  if ((await provider.getCode(address, block)) === '0x') return undefined;
  const contract = settlementAt(address, provider);
  try {
    return [
      ...(await fixedDifferences(contract, terms, block)),
      ...(await capDifferences(contract, terms, block)),
      ...(await roleDifferences(contract, terms, block)),
    ];
  } catch (error) {
    if (isUnknownCall(error)) return undefined;
    throw error;
  }
}

async function fixedDifferences(contract: Settlement, terms: SettlementTerms, blockTag: string) {
  const [token, treasury] = await Promise.all([
    contract.token({ blockTag }),
    contract.treasury({ blockTag }),
  ]);
  const compared = [
    ['CHAIN_USDC_ADDRESS', terms.usdc, 'token', token],
    ['CHAIN_TREASURY', terms.treasury, 'treasury', treasury],
  ] as const;
  return compared
    .filter(([, told, , actual]) => told.toLowerCase() !== actual.toLowerCase())
    .map(([variable, told, name, actual]) => `${variable} is ${told}, the contract's ${name} ${actual}`);
}

async function capDifferences(contract: Settlement, terms: SettlementTerms, blockTag: string) {
  const [payerDay, allDay, payoutDay] = await contract.caps({ blockTag });
  return Object.entries({ payerDay, allDay, payoutDay }).flatMap(([cap, actual]) => {
    const name = cap as keyof typeof CAP_VARIABLES;
    const told = terms.caps[name];
    return told === actual ? [] : [`${CAP_VARIABLES[name]} is ${told}, the contract's ${name} ${actual}`];
  });
}

async function roleDifferences(contract: Settlement, terms: SettlementTerms, blockTag: string) {
  const roles = [
    ['CHAIN_ADMIN', 'admin', contract.DEFAULT_ADMIN_ROLE],
    ['CHAIN_SETTLER', 'settler', contract.SETTLER_ROLE],
    ['CHAIN_PAYER', 'payer', contract.PAYER_ROLE],
    ['CHAIN_PAUSER', 'pauser', contract.PAUSER_ROLE],
  ] as const;
  const lines = roles.map(async ([variable, name, roleOf]) => {
    const role = await roleOf({ blockTag });
    const hasRole = await contract.hasRole(role, terms[name], { blockTag });
    return hasRole ? [] : [`${variable} is ${terms[name]}, which the contract does not have as a ${name}`];
  });
  return (await Promise.all(lines)).flat();
}
