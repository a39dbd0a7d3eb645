import { hangUp, isLossOfConnection, openOwnConnection } from '@svc/persistence';
import { DatabaseError } from 'pg';
import type { Client, QueryArrayConfig } from 'pg';

interface LedgerConnectionOptions {
  readonly databaseUrl: string;
  /** Told when a connection stands that did not before. */
  readonly onConnected: () => void;
  readonly onLost: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A batch takes milliseconds; one that takes longer than this is cancelled by the server. */
const STATEMENT_TIMEOUT_MS = 20_000;
/**
 * Somebody else's lock on one wallet fails that wallet's operations, instead of holding up everybody's. Whoever comes behind a batch that
 * waits for it may wait for four of these, with one that meets it again: that batch, the wallet's operation alone, and both once more. Callers
 * wait for 3 s.
 */
export const LOCK_TIMEOUT_MS = 500;
/** For a network that swallows the answer: longer than the server's own limit, so that nothing is still running then. */
const ANSWER_TIMEOUT_MS = 25_000;

/** Thrown when the database was out of reach: whether the statement was committed is not known. */
export class LedgerUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the ledger database is out of reach', { cause });
    this.name = 'LedgerUnavailableError';
  }
}

/**
 * The one connection a batcher has to itself. It connects when it is needed and again after it was lost, and never
 * ends the process.
 */
export class LedgerConnection {
  private client: Client | undefined;
  private connecting: Promise<Client> | undefined;

  constructor(private readonly options: LedgerConnectionOptions) {}

  /**
   * Sees to it that a connection stands.
   * @throws LedgerUnavailableError
   */
  async ensure(): Promise<void> {
    if (!this.client) await this.connect();
  }

  /**
   * Runs one statement in a transaction of its own.
   * @throws LedgerUnavailableError when the outcome is unknown; DatabaseError when the statement failed and nothing of it
   *   was committed
   */
  async query<Row extends unknown[]>(config: QueryArrayConfig): Promise<Row[]> {
    const client = this.client ?? (await this.connect());
    try {
      return (await client.query<Row>(config)).rows;
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      this.drop(client, error);
      throw new LedgerUnavailableError(error);
    }
  }

  async close(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private connect(): Promise<Client> {
    this.connecting ??= this.open().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  private async open(): Promise<Client> {
    const client = await openOwnConnection({
      databaseUrl: this.options.databaseUrl,
      applicationName: 'billing-ledger',
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: LOCK_TIMEOUT_MS,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      onLost: (lost, error) => this.drop(lost, error),
    }).catch((error: unknown) => {
      throw new LedgerUnavailableError(error);
    });
    this.client = client;
    this.options.onConnected();
    return client;
  }

  private drop(client: Client, error: unknown): void {
    hangUp(client);
    if (this.client !== client) return;
    this.client = undefined;
    this.options.onLost(error instanceof Error ? error : new Error(String(error)));
  }
}

const TOOK_TOO_LONG = new Set([
  '55P03', // lock_not_available: after lock_timeout
  '57014', // query_canceled: after statement_timeout
]);

/** Whether a statement was given up because somebody else held a lock that it needed; nothing of it was committed. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && TOOK_TOO_LONG.has(error.code ?? '');
}

function isOutOfReach(error: unknown): boolean {
  // What has no SQLSTATE did not come from the server: a socket error, or no answer in time.
  if (!(error instanceof DatabaseError) || error.code === undefined) return true;
  return isLossOfConnection(error.code);
}
