/** Injection token of the `Settler`; its value is undefined when this process has no key to sign with. */
export const SETTLER = Symbol('svc.billing.settler');

/** Injection token of the `Payer`; its value is undefined when this process has no key to sign with. */
export const PAYER = Symbol('svc.billing.payer');
