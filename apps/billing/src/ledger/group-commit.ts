import { setTimeout as delay } from 'node:timers/promises';

export interface GroupCommitOptions<Op, Result> {
  /** Applies a batch in one commit and answers in its order; throws when nothing of it was applied, or nobody knows. */
  readonly commit: (operations: readonly Op[]) => Promise<readonly Result[]>;
  /** Operations with the same key never share a batch; they are applied in the order they came. */
  readonly keyOf: (operation: Op) => string;
  /** Whether the store was out of reach, so that the outcome is unknown and the same batch is sent again. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Operations that would wait for the same lock. */
  readonly lockOf: (operation: Op) => string;
  /** Whether the operation failed because somebody else holds its lock: the others of it would wait as long, in vain. */
  readonly isLocked: (error: unknown) => boolean;
  readonly maxBatch: number;
  /** Of a crowd, batches begin no sooner after each other; 0 to never wait. */
  readonly gatherMs: number;
  /** How many operations may wait before refusable ones are refused at once. */
  readonly maxWaiting: number;
  readonly observer: GroupCommitObserver<Op>;
}

interface SubmitOptions {
  /**
   * On performance.now()'s clock, after which nobody waits for the answer: the operation is dropped if it has not been sent by then.
   * Without one it is applied however long that takes.
   */
  readonly deadlineMs?: number;
  /** Whether it may be refused because too many wait. */
  readonly refusable?: boolean;
}

interface GroupCommitObserver<Op> {
  committed(size: number, elapsedMs: number): void;
  /** The store was out of reach; the batch is tried again. */
  unavailable(error: unknown, attempt: number): void;
  /** One operation failed on its own, with an error of the store. */
  failed(error: unknown, operation: Op): void;
}

interface Waiting<Op, Result> {
  readonly operation: Op;
  readonly deadlineMs: number | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * As many in a batch are a crowd. A batch costs PostgreSQL and this process as much as some twenty operations, so that many small ones
 * cost more than they save in time.
 */
const CROWD = 8;
/** How far a batch looks past operations that must wait for the next one. */
const MAX_PASSED_OVER = 2_048;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

/** Thrown to callers whose operation was not taken, or whose outcome nobody will know. */
export class GroupCommitError extends Error {
  constructor(readonly reason: 'overloaded' | 'expired' | 'closed') {
    super(`ledger operation not applied: ${reason}`);
    this.name = 'GroupCommitError';
  }
}

/**
 * Gathers operations into batches: while one commit is under way the next batch fills, so that the batch grows with the load and
 * a lone operation waits for nobody. After the batch of a crowd the next one waits a moment for more. Callers are answered after the
 * commit, and once the next batch is on its way: the store works on it while what the answers lead to is done here.
 */
export class GroupCommit<Op, Result> {
  private waiting: Waiting<Op, Result>[] = [];
  /** Gives their answers to the callers of what was committed last. */
  private answers: (() => void)[] = [];
  private pumping: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly options: GroupCommitOptions<Op, Result>) {}

  /** @throws GroupCommitError when it was not taken, or dropped; else the store's own error for this operation */
  submit(operation: Op, { deadlineMs, refusable }: SubmitOptions = {}): Promise<Result> {
    if (this.closed) return Promise.reject(new GroupCommitError('closed'));
    if (refusable && this.waiting.length >= this.options.maxWaiting) {
      return Promise.reject(new GroupCommitError('overloaded'));
    }
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ operation, deadlineMs, resolve, reject });
      this.pumping ??= this.pump();
    });
  }

  /** Takes no more, and resolves when what was taken is answered. While the store is out of reach that is a refusal. */
  async close(): Promise<void> {
    this.closed = true;
    await this.pumping;
  }

  private async pump(): Promise<void> {
    // Everything that arrived in the same turn of the event loop belongs into the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const startedMs = performance.now();
      const batch = this.gather();
      const applying = this.apply(batch);
      this.answer();
      await applying;
      if (batch.length >= CROWD) await this.letGather(startedMs);
    }
    this.pumping = undefined;
    this.answer();
  }

  private answer(): void {
    for (const answer of this.answers.splice(0)) answer();
  }

  /** Waits for the next of a crowd, unless they fill a batch already. @param startedMs when the last batch began */
  private async letGather(startedMs: number): Promise<void> {
    const { gatherMs, maxBatch } = this.options;
    const waitMs = startedMs + gatherMs - performance.now();
    if (waitMs <= 0 || this.waiting.length >= maxBatch || this.closed) return;
    this.answer();
    await delay(waitMs);
  }

  private gather(): Waiting<Op, Result>[] {
    const keys = new Set<string>();
    const batch: Waiting<Op, Result>[] = [];
    const passedOver: Waiting<Op, Result>[] = [];
    let next = 0;
    for (; next < this.waiting.length; next++) {
      if (batch.length === this.options.maxBatch || passedOver.length === MAX_PASSED_OVER) break;
      const entry = this.waiting[next] as Waiting<Op, Result>;
      const key = this.options.keyOf(entry.operation);
      (keys.has(key) ? passedOver : batch).push(entry);
      keys.add(key);
    }
    this.waiting = [...passedOver, ...this.waiting.slice(next)];
    return batch;
  }

  /** @returns why a lone operation failed */
  private async apply(batch: readonly Waiting<Op, Result>[]): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      // Before each attempt: an admission that its caller has given up must not hold money after an outage.
      const live = batch.filter((entry) => !dropped(entry));
      if (live.length === 0) return undefined;
      try {
        return await this.commit(live);
      } catch (error) {
        if (!this.options.isUnavailable(error)) return this.applySingly(live, error);
        this.options.observer.unavailable(error, attempt);
        if (this.closed) return refuse([...live, ...this.waiting.splice(0)], new GroupCommitError('closed'));
        await delay(Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS));
      }
    }
  }

  private async commit(batch: readonly Waiting<Op, Result>[]): Promise<void> {
    const startedMs = performance.now();
    const results = await this.options.commit(batch.map(({ operation }) => operation));
    this.options.observer.committed(batch.length, performance.now() - startedMs);
    this.answers.push(() => batch.forEach((entry, index) => entry.resolve(results[index] as Result)));
  }

  /** One operation made the whole batch fail: the others must not suffer for it. */
  private async applySingly(batch: readonly Waiting<Op, Result>[], error: unknown): Promise<unknown> {
    const [only, ...others] = batch;
    if (only !== undefined && others.length === 0) return this.fail(only, error);
    const locked = new Map<string, unknown>();
    for (const entry of batch) {
      const lock = this.options.lockOf(entry.operation);
      if (locked.has(lock)) {
        this.fail(entry, locked.get(lock));
        continue;
      }
      const failure = await this.apply([entry]);
      this.answer();
      if (failure !== undefined && this.options.isLocked(failure)) locked.set(lock, failure);
    }
    return undefined;
  }

  private fail({ operation, reject }: Waiting<Op, Result>, error: unknown): unknown {
    this.options.observer.failed(error, operation);
    reject(error);
    return error;
  }
}

function dropped(entry: Waiting<unknown, never>): boolean {
  if (entry.deadlineMs === undefined || performance.now() <= entry.deadlineMs) return false;
  entry.reject(new GroupCommitError('expired'));
  return true;
}

function refuse(entries: readonly Waiting<unknown, never>[], error: GroupCommitError): void {
  for (const entry of entries) entry.reject(error);
}
