/** Injection token of billing's `PrismaClient`: for everything but the batches. */
export const DATABASE = Symbol('svc.billing.database');
