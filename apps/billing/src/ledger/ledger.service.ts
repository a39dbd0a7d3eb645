import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { parseBaseUnits } from '@svc/money';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import { GroupCommit } from './group-commit';
import { LedgerConnection, LedgerUnavailableError, isLockTimeout } from './ledger-connection';
import { LedgerMetrics } from './ledger.metrics';
import { LedgerStore } from './ledger.store';
import type {
  Admission,
  AdmissionResult,
  Operation,
  OperationResult,
  Renewal,
  RenewalResult,
  Resolution,
  ResolutionResult,
} from './operation';

const MAX_BATCH = 512;
/** Under load two batches begin no sooner after each other: see docs/performance-notes.md. */
const GATHER_MS = 2;
const MAX_WAITING = 20_000;
/** How long a request stands under its idempotency key. */
const IDEMPOTENCY_MS = 24 * 60 * 60 * 1_000;

/**
 * The ledger's one door: everything that moves money goes through it, in batches, and is answered when it is durable.
 * One shard for now: one batcher with one connection. More would split by wallet.
 */
@Injectable()
export class LedgerService implements BeforeApplicationShutdown {
  private readonly connection: LedgerConnection;
  private readonly batcher: GroupCommit<Operation, OperationResult>;
  private readonly connectedListeners: (() => void)[] = [];

  constructor(
    config: BillingConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: LedgerMetrics,
  ) {
    this.connection = new LedgerConnection({
      databaseUrl: config.databaseUrl,
      onConnected: () => {
        for (const listener of this.connectedListeners) listener();
      },
      onLost: (error) => logger.warn({ err: error }, 'ledger connection lost'),
    });
    const store = new LedgerStore(this.connection, {
      leaseMs: config.holdLeaseMs,
      unsettledCap: parseBaseUnits(config.unsettledCap),
      idempotencyMs: IDEMPOTENCY_MS,
    });
    this.batcher = new GroupCommit<Operation, OperationResult>({
      commit: (operations) => store.apply(operations),
      keyOf: ({ holdId }) => holdId,
      isUnavailable: (error) => error instanceof LedgerUnavailableError,
      // Which wallet an admission's key belongs to, only the database knows.
      lockOf: (operation) => (operation.type === 'admit' ? operation.keyHash : operation.wallet),
      isLocked: isLockTimeout,
      maxBatch: MAX_BATCH,
      gatherMs: GATHER_MS,
      maxWaiting: MAX_WAITING,
      observer: this.observer(),
    });
  }

  /** @param deadlineMs on performance.now()'s clock, after which the caller has given up */
  async admit(admission: Admission, deadlineMs?: number): Promise<AdmissionResult> {
    return (await this.batcher.submit(admission, { deadlineMs, refusable: true })) as AdmissionResult;
  }

  /** Without a deadline it is applied however long the database is away, for as long as the process lives. */
  async resolve(resolution: Resolution, deadlineMs?: number): Promise<ResolutionResult> {
    return (await this.batcher.submit(resolution, { deadlineMs })) as ResolutionResult;
  }

  async renew(renewal: Renewal, deadlineMs?: number): Promise<RenewalResult> {
    return (await this.batcher.submit(renewal, { deadlineMs })) as RenewalResult;
  }

  /** Called when the connection stands that did not before: at the first batch, and after each outage. */
  onConnected(listener: () => void): void {
    this.connectedListeners.push(listener);
  }

  /**
   * Sees to it that the connection stands; `onConnected` listeners are called first if it did not.
   * @throws LedgerUnavailableError
   */
  ensureConnected(): Promise<void> {
    return this.connection.ensure();
  }

  /** What was taken is applied; with the database away it is refused, so that nobody waits for it. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.batcher.close();
    await this.connection.close();
  }

  private observer() {
    return {
      committed: (size: number, elapsedMs: number) => {
        this.metrics.batchSize.observe(size);
        this.metrics.commitSeconds.observe(elapsedMs / 1_000);
      },
      unavailable: (error: unknown, attempt: number) => {
        this.metrics.failures.inc({ reason: 'unavailable' });
        this.logger.warn({ err: error, attempt }, 'ledger database out of reach; the batch is tried again');
      },
      failed: (error: unknown, operation: Operation) => {
        this.metrics.failures.inc({ reason: 'refused' });
        const { type, holdId } = operation;
        this.logger.error({ err: error, operation: type, requestId: holdId }, 'ledger operation failed');
      },
    };
  }
}
