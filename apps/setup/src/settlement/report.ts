import { testUsdcAt } from '@svc/contracts-evm';
import type { SettlementTerms } from '@svc/contracts-evm';
import { formatUsdc } from '@svc/money';
import { formatEther } from 'ethers';
import type { Provider } from 'ethers';

interface Plan {
  chainId: number;
  /** The token's name. */
  token: string;
  deployer: string;
  terms: SettlementTerms;
}

/** What is to be deployed, a line each. */
export async function termsInWords(
  provider: Provider,
  { chainId, token, deployer, terms }: Plan,
): Promise<string[]> {
  const { payerDay, allDay, payoutDay } = terms.caps;
  // A multisig may have that address on another chain only.
  const kindOf = async (address: string) =>
    (await provider.getCode(address)) === '0x' ? 'no contract: one key' : 'a contract';
  const [treasury, admin] = await Promise.all([kindOf(terms.treasury), kindOf(terms.admin)]);
  return [
    `Settlement on chain ${chainId}:`,
    `  token     ${terms.usdc}, ${token}; for good`,
    `  treasury  ${terms.treasury}, ${treasury}; for good`,
    `  admin     ${terms.admin}, ${admin}`,
    `  settler   ${terms.settler}`,
    `  payer     ${terms.payer}`,
    `  pauser    ${terms.pauser}`,
    `  deployer  ${deployer}, with no role`,
    `  a day     ${formatUsdc(payerDay)} USDC from one wallet, ${formatUsdc(allDay)} from all, ${formatUsdc(payoutDay)} paid out`,
  ];
}

interface Deployed {
  chainId: number;
  terms: SettlementTerms;
  address: string;
  deployBlock: number | undefined;
}

/** Where it is, for whom to know, and what only others can do. */
export async function remainingWork(
  provider: Provider,
  { chainId, terms, address, deployBlock }: Deployed,
): Promise<string[]> {
  const { usdc, treasury, settler, payer, caps } = terms;
  const token = testUsdcAt(usdc, provider);
  const [approved, ofSettler, ofPayer] = await Promise.all([
    token.allowance(treasury, address),
    provider.getBalance(settler),
    provider.getBalance(payer),
  ]);
  const block = deployBlock === undefined ? '' : ` since block ${deployBlock}`;
  return [
    `Settlement is at ${address}${block}, and final.`,
    '',
    'Variables of billing, gateway and catalog (which takes no CHAIN_USDC_ADDRESS):',
    '',
    `CHAIN_ID=${chainId}`,
    `CHAIN_USDC_ADDRESS=${usdc}`,
    `CHAIN_SETTLEMENT_ADDRESS=${address}`,
    '',
    'Left to do:',
    '',
    `1. Treasury ${treasury}: let it pay providers. It may pay out ${formatUsdc(approved)} USDC now.`,
    '   By this call, what may be paid out in a day; another amount will do as well:',
    `   to    ${usdc}`,
    '   value 0',
    `   data  ${token.interface.encodeFunctionData('approve', [address, caps.payoutDay])}`,
    `2. Settler ${settler} (billing's SETTLER_KEY): give it gas money. It has ${formatEther(ofSettler)}.`,
    `3. Payer ${payer} (billing's PAYER_KEY): give it gas money. It has ${formatEther(ofPayer)}.`,
  ];
}
