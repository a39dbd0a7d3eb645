import type { ClientBase } from 'pg';
import { READ_ONLY } from './database-away';

/**
 * What services take for granted of a session, where a server, a database or a role may have been given another default.
 * - isolation: what waited for a lock looks again at what it waited for. With any other it would see things as they were before.
 * - synchronous_commit: what is answered is on disk, and at the synchronous standby if there is one.
 * - TimeZone, DateStyle: Prisma's adapter writes times without an offset, and takes any that it reads for one of nought.
 */
const SETTINGS = {
  default_transaction_isolation: 'read committed',
  synchronous_commit: 'on',
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
};

/** Of a server that takes no writes. Has what database errors have, to be taken for one. */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';
  readonly code = READ_ONLY;
  readonly severity = 'FATAL';
}

/** Of the server, by name; what stands here comes from the code, never from outside. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Makes a connection that was just opened fit for a service. One to a standby is not to be kept: after a failover the server's name may
 * lead to a standby for a while, and a connection made then would stay there.
 * @param settings what is set besides. By a statement, as poolers pass over what a connection asks for when it is opened
 * @throws ReadOnlyError when the server is a standby
 */
export async function prepareSession(client: ClientBase, settings: SessionSettings = {}): Promise<void> {
  const set = Object.entries({ ...SETTINGS, ...settings }).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  const { rows } = await client.query<{ isStandby: boolean }>(
    `SELECT pg_is_in_recovery() AS "isStandby", ${set.join(', ')}`,
  );
  if (rows[0]?.isStandby) throw new ReadOnlyError('the server is a standby, which takes no writes');
}
