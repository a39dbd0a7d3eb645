/** Injection token of the service's `BillingConfig`. */
export const BILLING_CONFIG = Symbol('svc.billing.config');
