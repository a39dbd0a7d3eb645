import type { ReadinessCheck } from '@svc/observability';
import type { PrismaClient } from './generated/client';

/** Ready while the database answers. */
export function databaseReadiness(prisma: PrismaClient): ReadinessCheck {
  return {
    name: 'database',
    check: async () => {
      await prisma.$queryRaw`SELECT 1`;
      return { up: true };
    },
  };
}
