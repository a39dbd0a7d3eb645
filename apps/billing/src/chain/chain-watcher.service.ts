import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck, ReadinessState } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import { failpoint } from '../failpoint';
import { ChainLagsError, ChainMovedError } from './block';
import type { BlockHeader, BlockRef, ChainPosition } from './block';
import { isMisfit } from './chain-connection';
import { ChainMetrics } from './chain.metrics';
import { ChainScanner } from './chain-scanner';
import { ChainTablesAwayError } from './chain-tables-away.error';
import { RefreshTurns } from './refresh-turns';

/**
 * How many times in a row something odd must be found: until then it may be one server of many, or chance. After that a head below the last
 * one is looked into, and a chain that moved during each reading is said not to fit together.
 */
const DOUBTED_POLLS = 5;

const REFRESH_ATTEMPTS = 4;
const MOST_REMEMBERED = 10_000;

/**
 * Nobody answers; who answers lags, or tells blocks that do not fit together; the wrong chain or contracts answer; the database did
 * not take what was read.
 */
type Problem = 'away' | 'lagging' | 'contradictory' | 'misfit' | 'unwritten';

/**
 * Follows the chain: once a block, what wallets can spend is read at the head and at the safe depth, and written in one
 * commit with the block. A block is known by its hash, so that another one of the same number is noticed. With the chain
 * away, or a server that lags, what was last read stays.
 */
@Injectable()
export class ChainWatcher implements OnApplicationBootstrap, OnModuleDestroy {
  /** The block whose figures wallets have; undefined before the first, and when a reading failed since. */
  private block: BlockRef | undefined;
  private highest = 0;
  private pollsBelow = 0;
  /** How many readings in a row did not get on from a block, by its hash, for the chain moved meanwhile. */
  private unmoved = { from: '', readings: 0 };
  private problem: Problem | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** Readings happen one after the other, so that an older one never overwrites a newer. */
  private turn: Promise<void> = Promise.resolve();
  private readonly refreshes = new RefreshTurns((begin) => this.inTurn(() => this.readNow(begin())));
  /** Who was read because somebody asked, at that block. */
  private refreshed = { at: '', wallets: new Set<string>() };

  constructor(
    private readonly config: BillingConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly scanner: ChainScanner,
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
    await this.refreshes.leave();
    await this.turn;
    this.scanner.close();
  }

  /**
   * Reads a wallet now, or within a second, unless it was so at this block. With the chain away nothing changes, and the next poll makes up for
   * it. All that are asked for before the turn begins are read in it together: strangers may ask, and must not keep the
   * watcher from its blocks, nor the chain's server busy, however many they are and however often they ask.
   */
  refresh(wallet: string): Promise<void> {
    return this.refreshes.ask(wallet);
  }

  /** Goes on to the newest block, if there is a new one. */
  poll(): Promise<void> {
    return this.inTurn(async () => {
      await this.readOn();
    });
  }

  private async follow(): Promise<void> {
    await this.poll();
    if (!this.stopped) this.timer = setTimeout(() => void this.follow(), this.config.chainPollMs);
  }

  private async readNow(wallets: readonly string[]): Promise<void> {
    if (wallets.length === 0) return;
    for (let attempt = 1; ; attempt++) {
      try {
        const position = await this.readOn();
        if (position) await this.readAt(position, wallets);
        return;
      } catch (error) {
        // Another instance came first, or the chain moved.
        if (!(error instanceof ChainMovedError) || attempt >= REFRESH_ATTEMPTS) throw error;
      }
    }
  }

  private async readAt(position: ChainPosition, asked: readonly string[]): Promise<void> {
    const { hash: at } = position.head;
    // A chain may stand at one block for long.
    if (this.refreshed.at !== at || this.refreshed.wallets.size > MOST_REMEMBERED)
      this.refreshed = { at, wallets: new Set() };
    const { wallets: known } = this.refreshed;
    const wallets = asked.filter((wallet) => !known.has(wallet));
    if (wallets.length === 0) return;
    await this.scanner.readWallets(wallets, position);
    for (const wallet of wallets) known.add(wallet);
  }

  private async readOn(): Promise<ChainPosition | undefined> {
    const head = await this.scanner.head();
    const position = await this.scanner.position();
    const from = position?.head.hash ?? '';
    if (from !== this.unmoved.from) this.unmoved = { from, readings: 0 };
    // Read already, by this instance or another; but what was missed since has to be made up for.
    const isKnown = head.hash === position?.head.hash && this.block !== undefined;
    if (isKnown) {
      this.pollsBelow = 0;
      this.moved(head);
      return position;
    }
    if (position && head.number < position.head.number) {
      if (++this.pollsBelow < DOUBTED_POLLS) return position;
      await this.requireReplaced(position, head);
    }
    this.pollsBelow = 0;
    const dropped = await this.scanner.readOn(position, head);
    failpoint('chain.recorded');
    if (dropped > 0) {
      this.metrics.reorganised(dropped);
      this.logger.warn({ blocks: dropped, head: head.number }, 'chain was reorganised');
    }
    this.moved(head);
    return this.scanner.position();
  }

  private moved(head: BlockHeader): void {
    this.unmoved.readings = 0;
    this.block = head;
    this.highest = head.number;
    this.metrics.head.set(head.number);
    this.metrics.headMadeAt.set(head.timestamp);
  }

  /** @throws ChainLagsError when a head below the position is one of the same chain */
  private async requireReplaced(position: ChainPosition, head: BlockHeader): Promise<void> {
    if (!(await this.scanner.isBehind(head))) return;
    this.highest = position.head.number;
    throw new ChainLagsError(`the newest block told is ${head.number}, ${this.highest} was read`);
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
    // At first nothing is wrong: it is read anew by the next poll.
    if (error instanceof ChainMovedError && ++this.unmoved.readings < DOUBTED_POLLS) return;
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
      case 'lagging':
        return { up: true, detail: `the server lags; ${last}` };
      case 'contradictory':
        return { up: true, detail: `the server's blocks do not fit together; ${last}` };
      case 'unwritten':
        return { up: true, detail: `read, but not written; ${last}` };
      case undefined:
        return { up: true, detail: this.block === undefined ? 'not read yet' : `block ${this.block.number}` };
    }
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof ChainTablesAwayError) return 'unwritten';
  if (error instanceof ChainLagsError) return 'lagging';
  if (error instanceof ChainMovedError) return 'contradictory';
  return isMisfit(error) ? 'misfit' : 'away';
}
