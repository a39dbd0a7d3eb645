/** Injection token of a `PrismaClient` whose statements may take minutes, on a connection of its own. */
export const RECONCILIATION_DATABASE = Symbol('svc.billing.reconciliation.database');
/** Injection token of the name that its connections bear at the server, in this process alone. */
export const RECONCILIATION_SESSIONS = Symbol('svc.billing.reconciliation-sessions');
