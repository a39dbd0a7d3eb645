export { connectBilling } from './connect-billing';
export type { BillingClient, BillingOptions } from './connect-billing';
export { UsageExport } from './usage-export';
