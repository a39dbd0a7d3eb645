import { PeriodicJob } from '@svc/service-host';
import type { Condition } from './settlement-state';

/** Told what steps come to. */
interface StepStatus {
  set(condition: Condition): void;
  failed(error: unknown): void;
}

/** Takes steps one after the other, for as long as the process lives: at an interval once started, and whenever it is told to. */
export class StepLoop {
  private readonly job: PeriodicJob;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    intervalMs: number,
    private readonly take: () => Promise<Condition>,
    private readonly status: StepStatus,
  ) {
    this.job = new PeriodicJob({
      intervalMs,
      work: () => this.tick(),
      onError: (error) => this.status.failed(error),
    });
  }

  start(): void {
    this.job.start();
  }

  /** Takes one step now. Never throws: what went wrong is the status; not what the process's end cuts short. */
  tick(): Promise<void> {
    this.turn = this.turn.then(() => this.step());
    return this.turn;
  }

  /** Takes no more by itself. Resolves when the step under way has ended. */
  async stop(): Promise<void> {
    await this.job.stop();
    await this.turn;
  }

  private async step(): Promise<void> {
    try {
      this.status.set(await this.take());
    } catch (error) {
      if (!this.job.stopped) this.status.failed(error);
    }
  }
}
