/** Injection token of the EIP-712 domain that providers sign for (`SupplyDomain`). */
export const SUPPLY_DOMAIN = Symbol('svc.catalog.supply-domain');
