import type { ReadinessCheck } from '@svc/observability';
import { isReadOnly } from './database-away';
import type { PrismaClient } from './generated/client';

/** Ready while the database answers, and takes writes: a standby does not, nor does a server that is kept from it while its disk is full. */
export function databaseReadiness(prisma: PrismaClient): ReadinessCheck {
  return {
    name: 'database',
    check: async () => ((await takesWrites(prisma)) ? { up: true } : { up: false, detail: 'read-only' }),
  };
}

async function takesWrites(prisma: PrismaClient): Promise<boolean> {
  try {
    const [row] = await prisma.$queryRaw<{ readOnly: boolean }[]>`
      SELECT current_setting('transaction_read_only')::boolean AS "readOnly"`;
    return !row?.readOnly;
  } catch (error) {
    if (isReadOnly(error)) return false;
    throw error;
  }
}
