import { Injectable } from '@nestjs/common';
import type { ListProvidersRequest, CatalogueOverview, ProviderPage, ProviderSummary } from '@svc/contracts';
import { pageOf } from '@svc/persistence';
import { suspensionOf } from '../provider/suspension';
import { PublicationService } from '../publication/publication.service';
import { OverviewStore } from './overview.store';
import type { ListedProvider, OverviewCounts } from './overview.store';

const USUAL_PAGE = 50;
/** Counting reads whole indexes: however many look, it is done so seldom. */
const COUNTS_GOOD_MS = 5_000;

/** The catalogue as those see it who look after it. */
@Injectable()
export class OverviewService {
  private counted: { atMs: number; counts: Promise<OverviewCounts> } | undefined;

  constructor(
    private readonly store: OverviewStore,
    private readonly publication: PublicationService,
  ) {}

  async show(): Promise<CatalogueOverview> {
    return { ...(await this.counts()), liveOffers: this.publication.markets?.live.length ?? 0 };
  }

  async list({ limit = USUAL_PAGE, ...selection }: ListProvidersRequest): Promise<ProviderPage> {
    const rows = await this.store.providers({ ...selection, limit: limit + 1 });
    const { items, last } = pageOf(rows, limit);
    return { providers: items.map(summaryOf), next: last?.provider ?? null };
  }

  private counts(): Promise<OverviewCounts> {
    const nowMs = performance.now();
    if (this.counted && nowMs - this.counted.atMs < COUNTS_GOOD_MS) return this.counted.counts;
    const counts = this.store.counts();
    this.counted = { atMs: nowMs, counts };
    // Whoever asks next tries again.
    counts.catch(() => (this.counted = undefined));
    return counts;
  }
}

function summaryOf({ suspendedAt, suspensionReason, registeredAt, ...row }: ListedProvider): ProviderSummary {
  return {
    ...row,
    registeredAt: registeredAt.toISOString(),
    suspension: suspensionOf({ suspendedAt, suspensionReason }),
  };
}
