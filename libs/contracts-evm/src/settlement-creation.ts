import { Interface, concat } from 'ethers';
import { SettlementArtifact } from './generated/settlement';
import type { SettlementCaps } from './settlement.binding';

/** What a Settlement is made with. Addresses; token and treasury stay for good, roles and caps are the admin's to change. */
export interface SettlementTerms {
  usdc: string;
  treasury: string;
  admin: string;
  settler: string;
  payer: string;
  pauser: string;
  caps: SettlementCaps;
}

/** What may be moved in a day unless told: 10,000 USDC a payer, 1,000,000 USDC in all and 1,000,000 USDC paid out. */
export const DEFAULT_CAPS: SettlementCaps = {
  payerDay: 10_000_000_000n,
  allDay: 1_000_000_000_000n,
  payoutDay: 1_000_000_000_000n,
};

/** The data of the transaction that makes a Settlement. Whoever sends it has no role unless `terms` name them. */
export function settlementCreation({ usdc, treasury, caps, ...roles }: SettlementTerms): string {
  const { abi, bytecode } = SettlementArtifact;
  return concat([bytecode, new Interface(abi).encodeDeploy([usdc, treasury, roles, caps])]);
}
