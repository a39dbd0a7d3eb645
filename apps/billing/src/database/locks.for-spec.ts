import { eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';

export const LOCK_WALLET = 'SELECT FROM billing.wallet WHERE wallet = $1 FOR UPDATE';

/** Waits until so many wait for a lock. */
export async function waitingForLocks(database: TestDatabase, count: number): Promise<void> {
  await eventually(async () => (await database.waitingForLocks()) === count);
}

/** Somebody who holds the locks that a statement takes, until they are done. */
export async function holding(database: TestDatabase, statement: string, values: unknown[]) {
  const somebody = new Client({ connectionString: database.adminUrl });
  await somebody.connect();
  await somebody.query('BEGIN');
  await somebody.query(statement, values);
  return {
    query: (text: string, parameters: unknown[]) => somebody.query(text, parameters),
    done: async () => {
      await somebody.query('COMMIT');
      await somebody.end();
    },
  };
}
