import { DatabaseError } from 'pg';
import type { Client } from 'pg';
import { scramVerifier } from './scram-verifier';

const INTERNAL_ERROR = 'XX000';
const UNIQUE_VIOLATION = '23505';
const DUPLICATE_OBJECT = '42710';

/** Passwords of the services' database roles. */
export interface RolePasswords {
  catalog: string;
  billing: string;
}

/** The login roles, by the service that uses them. */
export const serviceRoles = { catalog: 'svc_catalog', billing: 'svc_billing' } as const;

/** A service's schema has its name. */
export type ServiceSchema = keyof typeof serviceRoles;

/**
 * Creates the services' login roles, or refreshes their passwords. They get no right beyond logging in: what each may
 * reach is the first migration's business.
 * @param client connected as a role that may create roles
 */
export async function ensureRoles(client: Client, passwords: RolePasswords): Promise<void> {
  for (const [service, role] of Object.entries(serviceRoles) as [keyof RolePasswords, string][]) {
    await untilAlone(() => ensureRole(client, role, passwords[service]));
  }
}

async function ensureRole(client: Client, role: string, password: string): Promise<void> {
  const known = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  // A role's definition takes no query parameters.
  const verb = known.rowCount === 0 ? 'CREATE' : 'ALTER';
  const define = (secret: string) =>
    client.query(
      `${verb} ROLE ${client.escapeIdentifier(role)} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${client.escapeLiteral(secret)}`,
    );
  try {
    await define(scramVerifier(password));
  } catch (error) {
    if (!wantsPassword(error)) throw error;
    await define(password);
  }
  // A transaction left open would hold up whoever follows commits in their order.
  await client.query(
    `ALTER ROLE ${client.escapeIdentifier(role)} SET idle_in_transaction_session_timeout = '60s'`,
  );
}

/**
 * Roles are those of the whole server, which no lock of one database guards: whoever changes one at the same time for another database
 * makes the change here fail. Each time it has made its own, so the next comes through.
 */
async function untilAlone(change: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (!madeByAnother(error)) throw error;
    }
  }
}

/** Services that manage PostgreSQL and keep its roles themselves (Neon, Lakebase) refuse verifiers, in these words. */
function wantsPassword(error: unknown): boolean {
  return (
    error instanceof DatabaseError && /only supports being given plaintext passwords/.test(error.message)
  );
}

/** What PostgreSQL says of a row of its own that another transaction has changed or added meanwhile. */
function madeByAnother(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const { code, message, schema } = error;
  if (code === UNIQUE_VIOLATION) return schema === 'pg_catalog';
  return (code === INTERNAL_ERROR && /^tuple concurrently/.test(message)) || code === DUPLICATE_OBJECT;
}
