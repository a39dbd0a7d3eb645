import { Inject, Injectable } from '@nestjs/common';
import type { AppliedCatalogue, ApplyCatalogueRequest } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { CatalogueStore } from '../database/catalogue.store';
import { PublicationService } from '../publication/publication.service';
import type { CatalogueChanges } from './catalogue';
import { planChanges } from './plan-changes';

/** Below the contract's own patience, so that the caller hears of the failure. */
const APPLY_TIMEOUT_MS = 8_000;

/** Definitions and what they mean together. */
@Injectable()
export class CatalogueService {
  constructor(
    private readonly store: CatalogueStore,
    private readonly publication: PublicationService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Applies a request whole or not at all. Once it is committed the views are published; should that fail now, it is tried
   * again until it succeeds, and the request stands.
   * @throws SvcError `invalid_request` with the path of the field that does not fit
   */
  async apply(request: ApplyCatalogueRequest): Promise<AppliedCatalogue> {
    const { changes, applied } = await this.store.exclusively(async ({ stored, write }) => {
      const { changes, result } = planChanges(stored, request);
      await write(changes);
      const liveOffers = [...result.offers.values()].filter((offer) => offer.active).length;
      return { changes, applied: { models: result.models.size, liveOffers } };
    }, APPLY_TIMEOUT_MS);
    this.logger.info({ ...applied, ...sizesOf(changes) }, 'catalogue applied');
    await this.publication.publish();
    return applied;
  }
}

function sizesOf(changes: CatalogueChanges): { added: number; redefined: number } {
  const kinds = Object.values(changes);
  return {
    added: kinds.reduce((sum, { added }) => sum + added.length, 0),
    redefined: kinds.reduce((sum, { redefined }) => sum + redefined.length, 0),
  };
}
