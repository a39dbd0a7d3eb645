import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { ReadinessCheck } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import type { Client } from 'pg';
import { Absence } from './absence';
import type { Warnings } from './connect-database';
import { hangUp, openOwnConnection } from './own-connection';
import { ReadOnlyError } from './session';

const INTERVAL_MS = 1_000;
const ANSWER_TIMEOUT_MS = 2_000;

/** What is to happen. */
interface DatabaseFollower {
  /** The database could not be used for some seconds. */
  onAway(reason: Error): void;
  /** It can be used again. */
  onBack(): void;
}

/**
 * Asks the database every second whether it can be used, over a connection of its own: those of the pool may be busy, or each wait for an
 * answer that a network has swallowed.
 */
export class DatabaseWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly followers: DatabaseFollower[] = [];
  private readonly job = new PeriodicJob({
    intervalMs: INTERVAL_MS,
    atOnce: true,
    work: async () => this.note(await this.ask()),
    onError: (err) => this.logger.warn({ err }, 'whoever follows the database failed'),
  });
  private client: Client | undefined;
  /** Why the database cannot be used, by the last answer. */
  private failure: Error | undefined;
  private readonly absence = new Absence();

  /** @param applicationName shown in pg_stat_activity */
  constructor(
    private readonly databaseUrl: string,
    private readonly applicationName: string,
    private readonly logger: Warnings,
  ) {}

  /** Begins, once the database has let the service in; until the first answer it is taken to be there. */
  onApplicationBootstrap(): void {
    this.job.start();
  }

  /** Ready while the database answers, and takes writes: a standby does not, nor does a server that is kept from it while its disk is full. */
  readonly readiness: ReadinessCheck = {
    name: 'database',
    check: () => {
      if (this.failure === undefined) return { up: true };
      if (this.failure instanceof ReadOnlyError) return { up: false, detail: 'read-only' };
      throw this.failure;
    },
  };

  /** Tells of each time the database is away, or back, from now on; at once if it is away. */
  follow(follower: DatabaseFollower): void {
    this.followers.push(follower);
    if (this.failure && this.absence.isAway) follower.onAway(this.failure);
  }

  /** Asks no more. Waits for an attempt to connect, which ends by itself: the driver forgets those that it is told to end. */
  async onApplicationShutdown(): Promise<void> {
    const stopped = this.job.stop();
    this.drop();
    await stopped;
    // One that was being made.
    this.drop();
  }

  /** @returns why it cannot be used */
  private async ask(): Promise<Error | undefined> {
    try {
      const client = this.client ?? (await this.connect());
      const { rows } = await client.query<{ readOnly: boolean }>(
        `SELECT current_setting('transaction_read_only')::boolean AS "readOnly"`,
      );
      return rows[0]?.readOnly ? new ReadOnlyError('the server takes no writes') : undefined;
    } catch (error) {
      this.drop();
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private async connect(): Promise<Client> {
    this.client = await openOwnConnection({
      databaseUrl: this.databaseUrl,
      applicationName: this.applicationName,
      connectTimeoutMs: ANSWER_TIMEOUT_MS,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      // Lost between two questions: the next one finds that out, or another connection.
      onLost: (client) => this.client === client && this.drop(),
    });
    return this.client;
  }

  private drop(): void {
    if (this.client) hangUp(this.client);
    this.client = undefined;
  }

  private note(failure: Error | undefined): void {
    this.failure = failure;
    const { isAway } = this.absence;
    this.absence.note(failure, performance.now());
    if (this.absence.isAway === isAway) return;
    for (const follower of this.followers) {
      if (failure && this.absence.isAway) follower.onAway(failure);
      else follower.onBack();
    }
  }
}
