import { Injectable } from '@nestjs/common';
import { FullComparisonTurn } from './full-comparison-turn';
import { ReconciliationService } from './reconciliation.service';
import { ReconciliationStore } from './reconciliation.store';
import type { ReconciliationKind } from './reconciliation.store';

/** All of the ledger is read before the chain is asked: a chain that fails each time is not worth that every minute. */
const FULL_AGAIN_AFTER_MS = 15 * 60_000;

/** Compares figures if it is time, and no other instance is at it. */
@Injectable()
export class DueComparison {
  /** By `performance.now()`, when a full comparison failed last. */
  private failedMs = -Infinity;

  constructor(
    private readonly store: ReconciliationStore,
    private readonly service: ReconciliationService,
    private readonly turn: FullComparisonTurn,
  ) {}

  /** @param dueMs how long ago the last one ended, anywhere, when it is time for another */
  async run(kind: ReconciliationKind, dueMs: number): Promise<void> {
    if (!(await this.isDue(kind, dueMs))) return;
    // Cheap enough to be made twice, and not to be held up by an instance of which nobody knows whether it is gone.
    if (kind === 'incremental') return void (await this.service.reconcile(kind));
    if (performance.now() < this.failedMs + Math.min(dueMs, FULL_AGAIN_AFTER_MS)) return;
    await this.turn.take(async () => {
      // Another instance may have ended one before the turn was taken.
      if (!(await this.isDue(kind, dueMs))) return;
      try {
        await this.service.reconcile(kind);
      } catch (error) {
        this.failedMs = performance.now();
        throw error;
      }
    });
  }

  private async isDue(kind: ReconciliationKind, dueMs: number): Promise<boolean> {
    const last = await this.store.last(kind);
    if (last === undefined || last.ageMs >= dueMs) return true;
    this.service.found(kind, last);
    return false;
  }
}
