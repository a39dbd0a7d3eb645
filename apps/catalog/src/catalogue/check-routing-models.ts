import { MAX_PRICE_PER_MTOK } from '@svc/contracts';
import type { ApplyCatalogueRequest, RoutingModelDefinition } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import type { Catalogue } from './catalogue';
import { refuseField } from './refuse-field';

/**
 * Checks the routing models of a request, and that none of its models is one: a client's `model` means one or the other.
 * @param catalogue as it would be after the request
 * @throws SvcError `invalid_request` with the path of the field that does not fit
 */
export function checkRoutingModels(catalogue: Catalogue, request: ApplyCatalogueRequest): void {
  for (const [index, { id }] of request.models.entries()) {
    if (!catalogue.routingModels.has(id)) continue;
    refuseField(`models[${index}].id`, `must not be "${id}", which is a routing model`);
  }
  for (const [index, definition] of (request.routingModels ?? []).entries()) {
    const path = `routingModels[${index}]`;
    if (catalogue.models.has(definition.id)) {
      refuseField(`${path}.id`, `must not be "${definition.id}", which is a model`);
    }
    checkCandidates(path, catalogue, definition);
    checkCeiling(path, definition);
  }
}

function checkCandidates(path: string, { models }: Catalogue, { candidates }: RoutingModelDefinition): void {
  for (const [index, id] of candidates.entries()) {
    const model = models.get(id);
    const field = `${path}.candidates[${index}]`;
    if (!model) return refuseField(field, `is "${id}", which is no model that is defined`);
    if (model.capabilities.workload !== 'chat')
      refuseField(field, `must be a chat model, which "${id}" is not`);
  }
}

function checkCeiling(path: string, definition: RoutingModelDefinition): void {
  for (const part of ['maxInputPricePerMtok', 'maxOutputPricePerMtok'] as const) {
    if (parseBaseUnits(definition[part]) <= MAX_PRICE_PER_MTOK) continue;
    refuseField(`${path}.${part}`, `must be at most ${MAX_PRICE_PER_MTOK} base units`);
  }
}
