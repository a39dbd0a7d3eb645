import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck, ReadinessState } from '@svc/observability';
import type { BillingConfig } from '../billing.config';
import { BILLING_CONFIG } from '../tokens';
import { ChainMetrics } from './chain.metrics';
import { ChainReader, isMisfit } from './chain-reader';
import { LimitStore, LimitsNotWrittenError } from './limit.store';

/** A head this many polls in a row below the last one is believed: a reset chain, not a server that lags. */
const BELIEVED_AFTER = 5;

/** Nobody answers; the wrong chain or contracts answer; the database did not take what was read. */
type Problem = 'away' | 'misfit' | 'unwritten';

/**
 * Follows the chain: once a block, what each known wallet can spend is read at the head and at the safe depth, and
 * written in one commit. With the chain away, what was last read stays.
 */
@Injectable()
export class ChainWatcher implements OnApplicationBootstrap, OnModuleDestroy {
  /** The block whose figures all wallets have; undefined before the first, and when a reading failed since. */
  private block: number | undefined;
  private highest = 0;
  private pollsBelow = 0;
  private problem: Problem | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** Readings happen one after the other, so that an older one never overwrites a newer. */
  private turn: Promise<void> = Promise.resolve();

  constructor(
    @Inject(BILLING_CONFIG) private readonly config: BillingConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly reader: ChainReader,
    private readonly store: LimitStore,
    private readonly metrics: ChainMetrics,
  ) {}

  /** Up also while the chain is away: the detail says so. Down when it is the wrong chain, or the wrong contracts. */
  readonly readiness: ReadinessCheck = { name: 'chain', check: () => this.state() };

  onApplicationBootstrap(): void {
    void this.follow();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.turn;
    this.reader.close();
  }

  /** Reads one wallet now. With the chain away nothing changes, and the next poll makes up for it. */
  refresh(wallet: string): Promise<void> {
    return this.inTurn(async () => {
      const head = await this.reader.head();
      await this.store.write(await this.reader.limits([wallet], head));
    });
  }

  /** Reads every known wallet if there is a new block. */
  poll(): Promise<void> {
    return this.inTurn(async () => {
      const head = await this.reader.head();
      if (head === this.block || this.isDoubtful(head)) return;
      const wallets = await this.store.wallets();
      if (wallets.length > 0) await this.store.write(await this.reader.limits(wallets, head));
      this.block = head;
      this.highest = head;
      this.metrics.head.set(head);
    });
  }

  private async follow(): Promise<void> {
    await this.poll();
    if (!this.stopped) this.timer = setTimeout(() => void this.follow(), this.config.chainPollMs);
  }

  private isDoubtful(head: number): boolean {
    if (head < this.highest && ++this.pollsBelow < BELIEVED_AFTER) return true;
    this.pollsBelow = 0;
    return false;
  }

  private inTurn(read: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(read).then(
      () => this.succeeded(),
      (error: unknown) => this.failed(error),
    );
    return this.turn;
  }

  private succeeded(): void {
    this.metrics.readAt.setToCurrentTime();
    if (this.problem !== undefined) this.logger.info('chain is followed again');
    this.problem = undefined;
  }

  private failed(error: unknown): void {
    this.metrics.failures.inc();
    const problem = problemOf(error);
    // Once per change, not once per poll.
    if (problem !== this.problem)
      this.logger.warn({ err: error, problem }, 'limits not updated; the last stay');
    this.problem = problem;
    this.block = undefined;
  }

  private state(): ReadinessState {
    const last = `limits are those of block ${this.highest}`;
    switch (this.problem) {
      case 'misfit':
        return { up: false, detail: `does not fit the configuration; ${last}` };
      case 'away':
        return { up: true, detail: `away; ${last}` };
      case 'unwritten':
        return { up: true, detail: `read, but not written; ${last}` };
      case undefined:
        return { up: true, detail: this.block === undefined ? 'not read yet' : `block ${this.block}` };
    }
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof LimitsNotWrittenError) return 'unwritten';
  return isMisfit(error) ? 'misfit' : 'away';
}
