import { noCapacity } from '@svc/errors';
import type { SvcError } from '@svc/errors';

/** How long a database takes to come back, seconds, when it is only restarted. */
const RETRY_AFTER_S = 2;

/** SQLSTATE class of connection exceptions. */
const CONNECTION_EXCEPTION = '08';
/** SQLSTATE read_only_sql_transaction: a standby, after a failover. */
export const READ_ONLY = '25006';
const GONE = new Set([
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  READ_ONLY,
  '53100', // disk_full: it takes nothing until somebody makes room
  '53300', // too_many_connections
]);

/** What a statement ends with for what others were doing at the same time, or because the server was slow: nothing of it was done. */
const CROSSED = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available: lock_timeout
  '57014', // query_canceled: statement_timeout
]);

/** Whether by this SQLSTATE the connection is lost, or this server as the one to write to; another try may find it back. */
export function isLossOfConnection(sqlState: string): boolean {
  return sqlState.startsWith(CONNECTION_EXCEPTION) || GONE.has(sqlState);
}

/**
 * As Prisma's adapter names what befell a socket, a server that has no connection left, and one whose password for us was replaced: who
 * was let in at the start is told the new one soon, or another replica was. A write conflict is a deadlock, or a serialization failure.
 */
const GONE_KINDS = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
  'AuthenticationFailed',
  'TransactionWriteConflict',
]);
/** What the adapter has no name for is passed on: the system's errors, and the driver's own, which have words alone. */
const SYSTEM_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);
/** The driver's words for a statement whose answer did not come in time. */
export const UNANSWERED = 'Query read timeout';
/** Prisma's, for a transaction whose `BEGIN` was not answered in time: nothing was done. */
const NOT_BEGUN = 'Transaction API error: Unable to start a transaction in the given time';
const AWAY_WORDS = new RegExp(
  `^(?:Connection terminated|timeout exceeded when trying to connect|Client .* is not queryable|${UNANSWERED}|${NOT_BEGUN})`,
);
/** Prisma's, behind the name of the call, for a transaction that took longer than it may. It was rolled back. */
const EXPIRED = 'cannot be executed on an expired transaction';

/** As much of Prisma's errors as is looked at. */
interface QueryError {
  code?: string;
  meta?: { driverAdapterError?: { cause?: { kind?: string; originalCode?: string } } };
}

/**
 * What callers are told of a query that failed because the database could not be asked, or did not answer, when it is not known whether
 * it was done; or because it could not do it at this moment.
 * @returns no_capacity; undefined for every other error
 */
export function databaseAway(error: unknown): SvcError | undefined {
  if (!isAway(error)) return undefined;
  return noCapacity('A part of the service cannot be asked now; try again.', RETRY_AFTER_S);
}

function causeOf(error: Error) {
  return (error as QueryError).meta?.driverAdapterError?.cause ?? {};
}

function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as QueryError;
  const { kind = '', originalCode = '' } = causeOf(error);
  if (GONE_KINDS.has(kind) || isLossOfConnection(originalCode)) return true;
  // The ledger's connection is the driver's own, whose errors have the SQLSTATE themselves.
  if (CROSSED.has(originalCode) || CROSSED.has(code)) return true;
  return SYSTEM_CODES.has(code) || AWAY_WORDS.test(error.message) || error.message.includes(EXPIRED);
}
