/** Injection token of the catalogue's `PrismaClient`. */
export const DATABASE = Symbol('svc.catalog.database');
