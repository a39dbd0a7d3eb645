import { Inject, Injectable } from '@nestjs/common';
import type { AppliedCatalogue, ApplyCatalogueRequest } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { AuditRecord } from '../audit/audit.store';
import { PublicationService } from '../publication/publication.service';
import type { CatalogueChanges, Kind } from './catalogue';
import { CatalogueStore } from './catalogue.store';
import { planChanges } from './plan-changes';

/** Below the contract's own patience, so that the caller hears of the failure. */
const APPLY_TIMEOUT_MS = 8_000;
const ACTOR = 'operator';
const SUBJECTS: Record<Kind, string> = { models: 'model', bundles: 'bundle', profiles: 'profile' };

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
   * @returns how much the catalogue holds
   * @throws SvcError `invalid_request` with the path of the field that does not fit
   */
  async apply(request: ApplyCatalogueRequest): Promise<AppliedCatalogue> {
    const { records, applied } = await this.store.exclusively(
      request,
      async ({ stored, standing, write }) => {
        const { changes } = planChanges(stored, standing, request);
        const records = recordsOf(changes);
        return { records, applied: await write(changes, records) };
      },
      APPLY_TIMEOUT_MS,
    );
    this.logger.info({ ...applied, changed: records.length }, 'catalogue applied');
    await this.publication.publishSoon();
    return applied;
  }
}

/** What the audit trail says: each thing that was defined or defined anew. */
function recordsOf(changes: CatalogueChanges): AuditRecord[] {
  return (Object.keys(SUBJECTS) as Kind[]).flatMap((kind) => {
    const record = (verb: string, { id }: { id: string }): AuditRecord => ({
      actor: ACTOR,
      action: `${SUBJECTS[kind]}.${verb}`,
      subject: id,
    });
    const { added, redefined } = changes[kind];
    return [
      ...added.map((definition) => record('define', definition)),
      ...redefined.map((definition) => record('redefine', definition)),
    ];
  });
}
