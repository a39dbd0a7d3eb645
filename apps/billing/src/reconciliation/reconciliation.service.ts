import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { failpoint } from '../failpoint';
import { PauseStore } from '../settlement/pause.store';
import type { Difference } from '../settlement/pause.store';
import { SettlementMetrics } from '../settlement/settlement.metrics';
import { ChainChecks } from './chain-checks';
import { FULL_CHECKS, INCREMENTAL_CHECKS } from './ledger-checks';
import type { LedgerCheck } from './ledger-checks';
import { ReconciliationStore } from './reconciliation.store';
import type { FinishedReconciliation, ReconciliationKind } from './reconciliation.store';

/** The actor of pauses that nobody but a comparison asked for. */
const RECONCILIATION_ACTOR = 'reconciliation';

/** The cheap ones, but for those of which a full one finds the same and more. */
const ALL_CHECKS: readonly LedgerCheck[] = [
  ...INCREMENTAL_CHECKS.filter(({ rule }) => !FULL_CHECKS.some((full) => full.rule === rule)),
  ...FULL_CHECKS,
];

/**
 * Compares the ledger with itself and with the chain. A difference pauses settlement until somebody has looked at it; it
 * is never mended here.
 */
@Injectable()
export class ReconciliationService {
  /** Of which this process has told differences. */
  private readonly told = new Set<ReconciliationKind>();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: ReconciliationStore,
    private readonly chain: ChainChecks,
    private readonly pauses: PauseStore,
    private readonly metrics: SettlementMetrics,
  ) {}

  /**
   * @returns what differs; settlement is paused when something does
   * @throws the chain's and the database's errors: what was found before stands, and of the rest nothing is known
   */
  async reconcile(kind: ReconciliationKind): Promise<Difference[]> {
    const checks = kind === 'full' ? ALL_CHECKS : INCREMENTAL_CHECKS;
    const differences: Difference[] = [];
    try {
      for (const check of checks) differences.push(...(await this.ledger(check)));
      differences.push(...(await this.confirmed(() => this.chain.totals())));
      if (kind === 'full') {
        differences.push(...(await this.confirmed(() => this.chain.wallets())));
        differences.push(...(await this.confirmed(() => this.chain.providers())));
      }
    } catch (error) {
      await this.pauseFor(kind, differences);
      throw error;
    }
    await this.pauseFor(kind, differences);
    this.found(kind, { differences: differences.length, ageMs: 0 });
    await this.store.finished(kind, differences.length);
    return differences;
  }

  /** Every instance tells what whichever of them found last: an alarm that its finder alone could end might stand for ever. */
  found(kind: ReconciliationKind, { differences, ageMs }: FinishedReconciliation): void {
    this.tell(kind, differences);
    this.metrics.reconciledAt.set({ kind }, (Date.now() - ageMs) / 1_000);
  }

  /**
   * Another is due, and may never come to its end: how old the last one is, and what it found, must be known all the same, after a restart too. Before the
   * first it counts from the start, and so it does where the database's clock was set back since.
   */
  awaited(kind: ReconciliationKind, last?: FinishedReconciliation): void {
    const atMs = last && last.ageMs >= 0 ? Date.now() - last.ageMs : performance.timeOrigin;
    this.metrics.reconciledAt.set({ kind }, atMs / 1_000);
    // Not over what one has found since that did not come to its end.
    if (last && !this.told.has(kind)) this.tell(kind, last.differences);
  }

  private tell(kind: ReconciliationKind, differences: number): void {
    this.told.add(kind);
    this.metrics.differences.set({ kind }, differences);
  }

  private ledger(check: LedgerCheck): Promise<Difference[]> {
    return this.confirmed(() => this.store.run(check));
  }

  /** Only what is still so at a second look. */
  private async confirmed(look: () => Promise<Difference[]>): Promise<Difference[]> {
    const first = await look();
    if (first.length === 0) return [];
    const known = new Set(first.map(nameOf));
    return (await look()).filter((difference) => known.has(nameOf(difference)));
  }

  private async pauseFor(kind: ReconciliationKind, differences: readonly Difference[]): Promise<void> {
    if (differences.length === 0) return;
    this.tell(kind, differences.length);
    const isNew = await this.pauses.pause('figures disagree', RECONCILIATION_ACTOR, differences);
    failpoint('reconciliation.paused');
    if (isNew) this.logger.error({ differences }, 'settlement is paused: figures disagree');
  }
}

function nameOf({ rule, subject }: Difference): string {
  return `${rule} ${subject ?? ''}`;
}
