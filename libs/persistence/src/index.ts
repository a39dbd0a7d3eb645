export { connectDatabase } from './connect-database';
export { databaseAway, isLossOfConnection } from './database-away';
export { createPrismaClient } from './prisma-client';
export type { PrismaClientOptions } from './prisma-client';
export { Prisma, PrismaClient } from './generated/client';
export { applyMigrations } from './migration/apply-migrations';
export type { ApplyMigrationsOptions } from './migration/apply-migrations';
export { serviceRoles } from './migration/service-roles';
export type { RolePasswords } from './migration/service-roles';
