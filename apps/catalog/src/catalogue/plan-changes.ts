import { isDeepStrictEqual } from 'node:util';
import type { ApplyCatalogueRequest } from '@svc/contracts';
import { invalidRequest } from '@svc/errors';
import { idOf } from '../definitions/definitions';
import type { Definitions, Kind } from '../definitions/definitions';
import type { Catalogue, CatalogueChanges, StandingOffers } from './catalogue';
import { checkCatalogue } from './check-catalogue';
import { storedVendor } from './managed-vendor';

type Rules = { [K in Kind]: KindRules<Definitions[K]> };

interface KindRules<T> {
  /** The word for one of them. */
  noun: string;
  /** What stands for good once defined, by its path in the definition: receipts and fingerprints refer to it. */
  fixed: (definition: T) => Record<string, unknown>;
}

const RULES: Rules = {
  models: {
    noun: 'model',
    fixed: ({ capabilities }) => ({ 'capabilities.workload': capabilities.workload }),
  },
  // A bundle names one concrete build, a profile one way to run it: another build or way has another id.
  bundles: { noun: 'bundle', fixed: ({ id: _, ...build }) => build },
  profiles: { noun: 'profile', fixed: ({ id: _, ...way }) => way },
  routingModels: { noun: 'routing model', fixed: () => ({}) },
  managedVendors: { noun: 'managed vendor', fixed: ({ model }) => ({ model }) },
};

/**
 * What a request changes, and the catalogue as it is then.
 * @param current at least everything that the request names
 * @param standing of the models that the request names
 * @param request already of the right shape; what is checked here is what it means
 * @throws SvcError `invalid_request` with the path of the field that does not fit, in which case nothing may be written
 */
export function planChanges(
  current: Catalogue,
  standing: StandingOffers,
  request: ApplyCatalogueRequest,
): { changes: CatalogueChanges; result: Catalogue } {
  const vendors = (request.managedVendors ?? []).map((vendor) =>
    storedVendor(vendor, current.managedVendors.get(vendor.mapping)),
  );
  const changes = {
    models: planKind('models', current, request.models),
    bundles: planKind('bundles', current, request.bundles),
    profiles: planKind('profiles', current, request.profiles),
    routingModels: planKind('routingModels', current, request.routingModels ?? []),
    managedVendors: planKind('managedVendors', current, vendors),
  };
  const result = {
    models: changes.models.result,
    bundles: changes.bundles.result,
    profiles: changes.profiles.result,
    routingModels: changes.routingModels.result,
    managedVendors: changes.managedVendors.result,
  };
  checkCatalogue(result, standing, request);
  return { changes, result };
}

function planKind<K extends Kind>(kind: K, current: Catalogue, given: readonly Definitions[K][]) {
  type T = Definitions[K];
  const rules: KindRules<T> = RULES[kind];
  // Both are indexed by the same kind; the compiler cannot follow that through a type parameter.
  const known = current[kind] as ReadonlyMap<string, T>;
  const result = new Map(known);
  const named = new Set<string>();
  const added: T[] = [];
  const redefined: T[] = [];
  for (const [index, definition] of given.entries()) {
    const id = idOf[kind](definition);
    if (named.has(id)) {
      throw invalidRequest(
        `${kind}[${index}] names the ${rules.noun} "${id}" a second time; name it once.`,
        `${kind}[${index}]`,
      );
    }
    named.add(id);
    result.set(id, definition);
    const before = known.get(id);
    if (!before) {
      added.push(definition);
    } else if (!isDeepStrictEqual(before, definition)) {
      refuseFixed({ path: `${kind}[${index}]`, id }, rules, before, definition);
      redefined.push(definition);
    }
  }
  return { added, redefined, result };
}

function refuseFixed<T>(
  { path, id }: { path: string; id: string },
  rules: KindRules<T>,
  before: T,
  after: T,
): void {
  const now = rules.fixed(after);
  for (const [part, value] of Object.entries(rules.fixed(before))) {
    if (now[part] === value) continue;
    throw invalidRequest(
      `${path}.${part} of the ${rules.noun} "${id}" is ${String(value)} for good; define another ${rules.noun} instead.`,
      `${path}.${part}`,
    );
  }
}
