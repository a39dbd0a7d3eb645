import { Inject, Injectable } from '@nestjs/common';
import type { BatchPage, BatchView, SettlementView } from '@svc/contracts';
import { notFound } from '@svc/errors';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { pageOf } from '@svc/persistence';
import { BatchListStore } from './batch-list.store';
import type { SettlementFigures } from './batch-list.store';
import { PauseStore } from './pause.store';
import { SettlementStatus } from './settlement-status';

const USUAL_PAGE = 50;
/** Figures sum over all wallets: however many look, that is done so seldom. */
const FIGURES_GOOD_MS = 2_000;

/** What those who look after settlement see and do. */
@Injectable()
export class OperationService {
  private read: { atMs: number; figures: Promise<SettlementFigures> } | undefined;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly batches: BatchListStore,
    private readonly pauses: PauseStore,
    private readonly status: SettlementStatus,
  ) {}

  async list(limit = USUAL_PAGE, before?: string): Promise<BatchPage> {
    const { items, last } = pageOf(await this.batches.page(limit + 1, before), limit);
    return { batches: items, next: last?.batchId ?? null };
  }

  /** @throws SvcError invalid_request (404) */
  async batch(batchId: string): Promise<BatchView> {
    const batch = await this.batches.find(batchId);
    if (!batch) throw notFound('There is no such batch.', 'batchId');
    return batch;
  }

  async show(): Promise<SettlementView> {
    const [figures, pauses] = await Promise.all([this.figures(), this.pauses.standing()]);
    const { state, detail } = this.status.conditionUnder(pauses);
    const { signed = 0, mined = 0 } = figures.batches;
    return {
      state,
      detail: detail ?? null,
      pauses: pauses.map(({ pausedAt, differences, ...pause }) => ({
        ...pause,
        pausedAt: pausedAt.toISOString(),
        differences: differences.map((difference) => ({
          ...difference,
          subject: difference.subject ?? null,
        })),
      })),
      unsettled: String(figures.unsettled),
      wallets: figures.wallets,
      suspendedWallets: figures.suspendedWallets,
      failedWallets: figures.failedWallets,
      openBatches: signed + mined,
      reconciledAt: figures.reconciledAt?.toISOString() ?? null,
      fullyReconciledAt: figures.fullyReconciledAt?.toISOString() ?? null,
    };
  }

  async pause(reason: string, actor: string): Promise<SettlementView> {
    await this.pauses.pause(reason, actor);
    this.logger.warn({ reason, actor }, 'settlement paused');
    return this.show();
  }

  async resume(reason: string, actor: string): Promise<SettlementView> {
    const ended = await this.pauses.resume(reason, actor);
    this.logger.warn({ reason, actor, ended }, 'settlement resumed');
    return this.show();
  }

  private figures(): Promise<SettlementFigures> {
    const nowMs = performance.now();
    if (this.read && nowMs - this.read.atMs < FIGURES_GOOD_MS) return this.read.figures;
    const figures = this.batches.figures();
    this.read = { atMs: nowMs, figures };
    // Whoever asks next tries again.
    figures.catch(() => (this.read = undefined));
    return figures;
  }
}
