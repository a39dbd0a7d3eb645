import { Injectable } from '@nestjs/common';
import { isAged } from '../database/age';
import { FullComparisonTurn } from './full-comparison-turn';
import { ReconciliationService } from './reconciliation.service';
import { ReconciliationStore } from './reconciliation.store';
import type { ReconciliationKind } from './reconciliation.store';

/**
 * A full comparison that failed or found differences does not wait for its day: what an alarm says must end soon after its cause has. But
 * it reads all of the ledger, before it asks the chain: too much for every minute.
 */
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
    const againMs = last && last.differences > 0 ? Math.min(dueMs, FULL_AGAIN_AFTER_MS) : dueMs;
    if (last === undefined || isAged(last.ageMs, againMs)) {
      this.service.awaited(kind, last);
      return true;
    }
    this.service.found(kind, last);
    return false;
  }
}
