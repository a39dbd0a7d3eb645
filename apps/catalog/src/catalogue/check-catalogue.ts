import type { ApplyCatalogueRequest } from '@svc/contracts';
import type { Catalogue, StandingOffers } from './catalogue';
import { checkManagedVendors } from './check-managed-vendors';
import { checkRoutingModels } from './check-routing-models';
import { refuseField } from './refuse-field';

/**
 * Checks what the parts of a request say of each other and of what is there already.
 * @param catalogue as it would be after the request
 * @throws SvcError `invalid_request` with the path of the field that does not fit
 */
export function checkCatalogue(
  catalogue: Catalogue,
  standing: StandingOffers,
  request: ApplyCatalogueRequest,
): void {
  for (const [index, bundle] of request.bundles.entries()) {
    if (catalogue.models.has(bundle.model)) continue;
    refuseField(
      `bundles[${index}].model`,
      `of the bundle "${bundle.id}" is "${bundle.model}", which is not defined; define that model too`,
    );
  }
  // A model whose context shrinks must not leave live offers behind that promise more.
  for (const [index, model] of request.models.entries()) {
    const offer = standing.get(model.id);
    if (!offer || offer.contextLimit <= model.contextLimit) continue;
    refuseField(
      `models[${index}].contextLimit`,
      `of the model "${model.id}" cannot be ${model.contextLimit} tokens while the offer "${offer.offerId}" is live with ${offer.contextLimit}`,
    );
  }
  checkRoutingModels(catalogue, request);
  checkManagedVendors(catalogue, request.managedVendors ?? []);
}
