import { Inject, Injectable } from '@nestjs/common';
import type { AppliedCatalogue, ApplyCatalogueRequest, ShownCatalogue } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { AuditRecord } from '../audit/audit.store';
import { idOf } from '../definitions/definitions';
import type { Definitions, Kind } from '../definitions/definitions';
import { EndpointPermission } from '../endpoint/endpoint-permission';
import { PublicationService } from '../publication/publication.service';
import type { CatalogueChanges } from './catalogue';
import { CatalogueStore } from './catalogue.store';
import { planChanges } from './plan-changes';

/** Below the contract's own patience, so that the caller hears of the failure. */
const APPLY_TIMEOUT_MS = 8_000;
const ACTOR = 'operator';
const SUBJECTS: Record<Kind, string> = {
  models: 'model',
  bundles: 'bundle',
  profiles: 'profile',
  routingModels: 'routing',
  managedVendors: 'managed',
};

/** Definitions and what they mean together. */
@Injectable()
export class CatalogueService {
  constructor(
    private readonly store: CatalogueStore,
    private readonly publication: PublicationService,
    private readonly endpoints: EndpointPermission,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Applies a request whole or not at all. Once it is committed the views are published; should that fail now, it is tried
   * again until it succeeds, and the request stands.
   * @returns how much the catalogue holds
   * @throws SvcError `invalid_request` with the path of the field that does not fit; no_capacity while a vendor's endpoint
   *   cannot be checked
   */
  async apply(request: ApplyCatalogueRequest): Promise<AppliedCatalogue> {
    // Takes too long to have the catalogue locked meanwhile.
    await this.requireCallable(request);
    const { records, applied } = await this.store.exclusively(
      request,
      async ({ stored, standing, write }) => {
        const { changes } = planChanges(stored, standing, request);
        const records = recordsOf(changes, request);
        return { records, applied: await write(changes, records) };
      },
      APPLY_TIMEOUT_MS,
    );
    this.logger.info({ ...applied, changed: records.length }, 'catalogue applied');
    await this.publication.publishSoon();
    return applied;
  }

  show(): Promise<ShownCatalogue> {
    return this.store.show();
  }

  /**
   * Endpoints that are called already are not asked about again: what is repeated changes nothing, whoever is away. A retired vendor's
   * was perhaps never asked about.
   */
  private async requireCallable({ managedVendors = [] }: ApplyCatalogueRequest): Promise<void> {
    const known = await this.store.vendorEndpoints(managedVendors.map(({ mapping }) => mapping));
    await Promise.all(
      managedVendors.map(async ({ mapping, endpoint, retired }, index) => {
        if (retired || known.get(mapping) === endpoint) return;
        await this.endpoints.require(endpoint, `managedVendors[${index}].endpoint`);
      }),
    );
  }
}

/** What the audit trail says: each thing that was defined or defined anew. */
function recordsOf(
  changes: CatalogueChanges,
  { actor = ACTOR, reason }: ApplyCatalogueRequest,
): AuditRecord[] {
  const recordsOfKind = <K extends Kind>(kind: K): AuditRecord[] => {
    const { added, redefined } = changes[kind];
    const record = (verb: string, definition: Definitions[K]): AuditRecord => ({
      actor,
      action: `${SUBJECTS[kind]}.${verb}`,
      subject: idOf[kind](definition),
      reason: reason ?? null,
    });
    return [
      ...added.map((definition) => record('define', definition)),
      ...redefined.map((definition) => record(isRetired(definition) ? 'retire' : 'redefine', definition)),
    ];
  };
  return (Object.keys(SUBJECTS) as Kind[]).flatMap(recordsOfKind);
}

function isRetired(definition: Definitions[Kind]): boolean {
  return 'retired' in definition && definition.retired;
}
