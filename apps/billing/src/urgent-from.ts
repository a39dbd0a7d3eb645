import type { BillingConfig } from './billing.config';

/** What a wallet owes that is not let wait: half of what it may, base units. */
export function urgentFrom({ unsettledCap }: Pick<BillingConfig, 'unsettledCap'>): bigint {
  return BigInt(unsettledCap) / 2n;
}
