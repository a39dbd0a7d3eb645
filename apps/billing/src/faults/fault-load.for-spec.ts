import { setTimeout as delay } from 'node:timers/promises';
import type { BookedRequest } from './caller-book.for-spec';
import { Caller } from './caller.for-spec';
import type { FaultStack, Payer } from './fault-stack.for-spec';
import { mined } from './fault-stack.for-spec';
import type { Random } from './random.for-spec';

const CALLERS = 24;
const BLOCK_MS = 100;
/** Now and then no block comes for so long that a transaction is sent again with a higher fee. */
const NO_BLOCK_MS = 2_500;
const NO_BLOCK_CHANCE = 0.02;

/** Callers, an operator and a chain that goes on, until told to stop. */
export class FaultLoad {
  readonly book = new Map<string, BookedRequest>();
  private stopping = false;
  private readonly working: Promise<void>[] = [];
  private mining: Promise<void> = Promise.resolve();
  private quiet = false;
  /** What no caller should meet. */
  failure: Error | undefined;

  private constructor(
    private readonly stack: FaultStack,
    private readonly payers: readonly Payer[],
  ) {}

  /** @param name of this load: what callers of different loads do never meets */
  static start(stack: FaultStack, payers: readonly Payer[], name: string, random: Random): FaultLoad {
    const load = new FaultLoad(stack, payers);
    for (let caller = 0; caller < CALLERS; caller++)
      load.work(load.callFor(`${name}_${caller}`, random.fork()));
    load.work(load.operate(name, random.fork()));
    load.mining = load.mine(random.fork());
    return load;
  }

  /** How many requests were begun. */
  get requests(): number {
    return this.book.size;
  }

  /** Begins nothing more, and waits until every caller knows how its request stands or the queue does. */
  async stop(): Promise<Map<string, BookedRequest>> {
    this.stopping = true;
    await Promise.all(this.working);
    this.quiet = true;
    await this.mining;
    if (this.failure !== undefined) throw this.failure;
    return this.book;
  }

  private work(work: Promise<void>): void {
    this.working.push(
      work.catch((error: unknown) => {
        this.failure ??= error instanceof Error ? error : new Error(String(error));
        this.stopping = true;
      }),
    );
  }

  private async callFor(name: string, random: Random): Promise<void> {
    const caller = new Caller(this.stack, name, random.fork(), this.book);
    while (!this.stopping) {
      await caller.request(random.pick(this.payers));
      await delay(random.between(0, 10));
    }
  }

  private async operate(name: string, random: Random): Promise<void> {
    const { operator } = this.stack;
    for (let act = 0; !this.stopping; act++) {
      const payer = random.pick(this.payers);
      const { keyId } = random.pick(payer.keys);
      const what = random.weighted({ limit: 5, unlimit: 1, credit: 3, suspend: 1, approve: 2 });
      const amount = BigInt(random.between(1_000, 60_000));
      if (what === 'limit') await operator.limit(payer.wallet, keyId, amount * 20n);
      if (what === 'unlimit') await operator.limit(payer.wallet, keyId, undefined);
      if (what === 'credit') await operator.credit(payer.wallet, `cr_${name}_${act}`, amount);
      if (what === 'suspend') {
        await operator.suspend(payer.wallet);
        await operator.reinstate(payer.wallet);
      }
      if (what === 'approve') await this.approve(payer, amount * 10n);
      await delay(random.between(20, 120));
    }
  }

  /** More or less than it owes; the next approval may be enough again. */
  private async approve({ token }: Payer, amount: bigint): Promise<void> {
    await mined(token.approve(this.stack.contracts.settlement, amount));
  }

  /** Blocks by the clock, not by the transaction, as long as the load goes on. */
  private async mine(random: Random): Promise<void> {
    const { chain } = this.stack;
    await chain.send('evm_setAutomine', [false]);
    while (!this.quiet) {
      await this.stack.mine(1);
      await delay(BLOCK_MS);
      if (!random.chance(NO_BLOCK_CHANCE)) continue;
      const untilMs = performance.now() + NO_BLOCK_MS;
      while (!this.stopping && performance.now() < untilMs) await delay(BLOCK_MS);
    }
    await chain.send('evm_setAutomine', [true]);
    await this.stack.mine(1);
  }
}
