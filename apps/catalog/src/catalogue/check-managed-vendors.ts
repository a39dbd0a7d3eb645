import { MAX_PRICE_PER_MTOK } from '@svc/contracts';
import type { ManagedVendorDefinition, ModelDefinition } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import { requireEndpointUrl } from '../endpoint/endpoint-url';
import type { Catalogue } from './catalogue';
import { refuseField } from './refuse-field';

/**
 * Checks managed vendors by what they say of themselves and of their models: the same rules as for providers' offers, where both have
 * the field. Whether dispatch may call the endpoint is asked elsewhere. One that is retired promises nothing: it can be
 * taken away however its model has changed meanwhile.
 * @param catalogue as it would be after the request
 * @throws SvcError `invalid_request` with the path of the field that does not fit
 */
export function checkManagedVendors(catalogue: Catalogue, vendors: readonly ManagedVendorDefinition[]): void {
  for (const [index, vendor] of vendors.entries()) {
    const path = `managedVendors[${index}]`;
    const model = catalogue.models.get(vendor.model);
    if (!model) {
      const reason = `is "${vendor.model}", which is not defined; define that model first`;
      return refuseField(`${path}.model`, reason);
    }
    if (!vendor.retired) checkModel(path, vendor, model);
    checkPrices(path, vendor);
    requireEndpointUrl(vendor.endpoint, `${path}.endpoint`);
  }
}

function checkModel(
  path: string,
  { contextLimit, tools, structuredOutputs }: ManagedVendorDefinition,
  { id, contextLimit: most, capabilities }: ModelDefinition,
): void {
  if (capabilities.workload !== 'chat')
    refuseField(`${path}.model`, `must be a chat model, which "${id}" is not`);
  if (contextLimit > most) {
    refuseField(
      `${path}.contextLimit`,
      `must be at most ${most}, the context of the model "${id}" in tokens`,
    );
  }
  if (tools && !capabilities.tools)
    refuseField(`${path}.tools`, `must be false: the model "${id}" is defined without tools`);
  if (structuredOutputs && !capabilities.structuredOutputs) {
    refuseField(
      `${path}.structuredOutputs`,
      `must be false: the model "${id}" is defined without structured outputs`,
    );
  }
}

function checkPrices(path: string, vendor: ManagedVendorDefinition): void {
  for (const part of ['inputPricePerMtok', 'outputPricePerMtok'] as const) {
    if (parseBaseUnits(vendor[part]) <= MAX_PRICE_PER_MTOK) continue;
    refuseField(`${path}.${part}`, `must be at most ${MAX_PRICE_PER_MTOK} base units`);
  }
  if (vendor.inputPricePerMtok !== '0' || vendor.outputPricePerMtok !== '0') return;
  // A request that can cost nothing leaves nothing to hold, which is how billing knows of it.
  refuseField(`${path}.outputPricePerMtok`, 'must be above 0 where inputPricePerMtok is 0');
}
