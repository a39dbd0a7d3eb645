import { becomesTrue } from '@svc/local-servers';
import type { BillingProcess } from './billing-process.for-spec';
import type { FaultStack } from './fault-stack.for-spec';

/** Keeps one instance of billing running as a supervisor does: however it ends, it is started again. */
export class Supervisor {
  /** How often it died, by what of. */
  readonly deaths: Record<string, number> = {};
  private died = 0;
  private armed: string | undefined;
  private billing: BillingProcess | undefined;
  private cause = 'at a moment';
  private stopped = false;
  private watching: Promise<void> = Promise.resolve();
  private failure: Error | undefined;

  constructor(
    private readonly stack: FaultStack,
    private readonly name: string,
  ) {}

  /** How often it died in all. */
  get count(): number {
    return this.died;
  }

  async start(): Promise<void> {
    this.billing = await this.stack.startSafely(this.name);
    this.watching = this.watch().catch((error: unknown) => {
      this.failure = error instanceof Error ? error : new Error(String(error));
    });
  }

  /** The next one to be started, and only that, dies at this failpoint: `name@n` when it comes by for the nth time. */
  arm(failpoint: string | undefined): void {
    this.armed = failpoint;
  }

  /** Whatever it was armed with: it dies now. */
  kill(): Promise<void> {
    if (this.billing?.exit === undefined) this.cause = 'at a moment';
    return this.billing?.kill() ?? Promise.resolve();
  }

  /** @returns whether it has died more often than `times` within that time */
  diesWithin(times: number, timeoutMs: number): Promise<boolean> {
    return becomesTrue(() => this.died > times, timeoutMs, 5);
  }

  /** Waits until an instance stands. */
  async standing(): Promise<void> {
    const stands = () => this.billing !== undefined && this.billing.exit === undefined;
    if (await becomesTrue(() => this.failure !== undefined || stands(), 120_000)) {
      if (this.failure === undefined) return;
      throw this.failure;
    }
    throw new Error('billing does not come back');
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.kill();
    await this.watching;
  }

  private async watch(): Promise<void> {
    for (;;) {
      await this.billing?.ended;
      this.died++;
      if (this.stopped) return;
      this.deaths[this.cause] = (this.deaths[this.cause] ?? 0) + 1;
      this.billing = undefined;
      await this.stack.releaseSigners();
      const { armed } = this;
      this.armed = undefined;
      this.billing = await this.stack.startBilling(this.name, { failpoint: armed });
      // It had died of itself when it was told to stop, and was on its way up.
      if (this.stopped) return this.kill();
      if (!this.billing) {
        // It died on its way up.
        this.cause = `${armed}, starting`;
        continue;
      }
      this.cause = armed ?? 'at a moment';
    }
  }
}
