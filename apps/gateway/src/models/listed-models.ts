import { catalogKey } from '@svc/contracts';
import type { ModelView, RoutingModelView } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import { readEntry } from './catalogue-entry';
import type { CatalogueEntry } from './catalogue-entry';
import type { ListedModel, RoutingModel } from './listed-model';

/** The catalogue's published entries, whatever they are. */
interface PublishedEntries {
  get(key: string): unknown;
  values(): Iterable<unknown>;
}

/**
 * What this environment lists of what the catalogue publishes: models for its workloads, and its routing model while one of the
 * candidates is known. What is not listed does not exist for clients.
 */
export class ListedModels {
  /** With the candidates as they are now; null while there is none. */
  private routing: RoutingModel | null | undefined;

  constructor(
    private readonly published: PublishedEntries,
    private readonly environment: Environment,
  ) {}

  /** The catalogue changed. */
  renew(): void {
    this.routing = undefined;
  }

  find(id: string): ListedModel | undefined {
    return this.listed(this.entryOf(id));
  }

  /** In the order of their ids, each as it is found by its id. */
  all(): ListedModel[] {
    const ids = new Set([...this.published.values()].map((entry) => readEntry(entry)?.id));
    return [...ids]
      .map((id) => (id === undefined ? undefined : this.find(id)))
      .filter((model) => model !== undefined)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  private entryOf(id: string): CatalogueEntry | undefined {
    const entry = readEntry(this.published.get(catalogKey(id)));
    return entry?.id === id ? entry : undefined;
  }

  private listed(entry: CatalogueEntry | undefined): ListedModel | undefined {
    if (!entry) return undefined;
    if ('candidates' in entry) return this.routingModel(entry);
    return this.environment.workloads.includes(entry.capabilities.workload) ? entry : undefined;
  }

  /** Made anew when the catalogue changed, not when it is asked for. */
  private routingModel(entry: RoutingModelView): RoutingModel | undefined {
    if (entry.id !== this.environment.routingModel) return undefined;
    if (this.routing === undefined) {
      const candidates = entry.candidates
        .map((id) => this.candidate(id))
        .filter((each) => each !== undefined);
      this.routing = candidates.length === 0 ? null : routingModelOf(entry, candidates);
    }
    return this.routing ?? undefined;
  }

  private candidate(id: string): ModelView | undefined {
    const entry = this.entryOf(id);
    return entry && !('candidates' in entry) && entry.capabilities.workload === 'chat' ? entry : undefined;
  }
}

function routingModelOf(entry: RoutingModelView, candidates: ModelView[]): RoutingModel {
  const { id, created, ownedBy, maxInputPricePerMtok, maxOutputPricePerMtok } = entry;
  return {
    id,
    created,
    ownedBy,
    ceiling: { inputPricePerMtok: maxInputPricePerMtok, outputPricePerMtok: maxOutputPricePerMtok },
    candidates,
  };
}
