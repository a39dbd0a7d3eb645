/** Injection token of a `PrismaClient` whose statements may take minutes, on a connection of its own. */
export const RECONCILIATION_DATABASE = Symbol('svc.billing.reconciliation.database');
