export { connectDatabase } from './connect-database';
export { databaseAway, isLossOfConnection } from './database-away';
export { DatabaseWatch } from './database-watch';
export { createPrismaClient } from './prisma-client';
export { pageOf } from './page';
export { hangUp, openOwnConnection } from './own-connection';
export { Prisma, PrismaClient } from './generated/client';
export { applyMigrations } from './migration/apply-migrations';
export { serviceRoles } from './migration/service-roles';
