import type { Client } from 'pg';

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
    const known = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
    // A role's definition takes no query parameters.
    const verb = known.rowCount === 0 ? 'CREATE' : 'ALTER';
    const password = client.escapeLiteral(passwords[service]);
    await client.query(
      `${verb} ROLE ${client.escapeIdentifier(role)} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${password}`,
    );
    // A transaction left open would hold up whoever follows commits in their order.
    await client.query(
      `ALTER ROLE ${client.escapeIdentifier(role)} SET idle_in_transaction_session_timeout = '60s'`,
    );
  }
}
