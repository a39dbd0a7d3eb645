import type { ModelCapabilities, ModelView, ToolContract, ViewPricing } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import type {
  CardCapabilities,
  CardPricing,
  CardToolContract,
  ModelCard,
  ModelDetails,
  RoutingCandidate,
} from '@svc/openai-api';
import { isRouting } from './listed-model';
import type { ListedModel, RoutingModel } from './listed-model';
import { commonDetailsOf, isAvailable } from './routing-details';

/** A model as clients see it (spec section 2.3): every field named here, nothing else of the view gets out. */
export function modelCardOf(model: ListedModel, environment: Environment): ModelCard {
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy,
    svc: isRouting(model) ? routingDetailsOf(model, environment) : detailsOf(model, environment),
  };
}

function detailsOf(model: ModelView, environment: Environment): ModelDetails {
  const { capabilities, pricing, managedPricing, contextLimit } = model;
  return {
    contextLimit,
    capabilities: capabilitiesCard(capabilities),
    ...(pricing && { pricing: pricingOf(pricing) }),
    ...(environment.statesFallback && managedPricing && { fallback_pricing: pricingOf(managedPricing) }),
    ...publishedContract(model, environment),
  };
}

function routingDetailsOf(model: RoutingModel, environment: Environment): ModelDetails {
  const common = commonDetailsOf(model);
  return {
    contextLimit: common.contextLimit,
    capabilities: common.capabilities,
    pricing: pricingOf(model.ceiling),
    ...publishedContract(common, environment),
    cortex: true,
    candidates: model.candidates.map((candidate) => candidateCard(candidate, model)),
    basis: 'ceiling',
  };
}

function candidateCard(candidate: ModelView, model: RoutingModel): RoutingCandidate {
  const { id, contextLimit, capabilities, pricing } = candidate;
  return {
    model: id,
    contextLimit,
    capabilities: capabilitiesCard(capabilities),
    ...(pricing && { pricing: pricingOf(pricing) }),
    available: isAvailable(candidate, model),
  };
}

function publishedContract(
  { capabilities, toolContract }: Pick<ModelView, 'capabilities' | 'toolContract'>,
  environment: Environment,
): Pick<ModelDetails, 'tool_contract'> {
  if (!environment.publishesToolContract || !capabilities.tools || !toolContract) return {};
  return { tool_contract: toolContractCard(toolContract) };
}

export function capabilitiesCard(capabilities: ModelCapabilities): CardCapabilities {
  const { workload, tools, structuredOutputs, reasoning, streaming, maxOutputTokens } = capabilities;
  return { workload, tools, structuredOutputs, reasoning, streaming, maxOutputTokens };
}

export function toolContractCard(contract: ToolContract): CardToolContract {
  return {
    tool_choice: contract.tool_choice,
    parallel_tool_calls: contract.parallel_tool_calls,
    strict_schemas: contract.strict_schemas,
    tool_streaming: contract.tool_streaming,
    max_argument_bytes: contract.max_argument_bytes,
    certified_concurrency: contract.certified_concurrency,
    agentic_certified: contract.agentic_certified,
    metering_version: contract.metering_version,
    certification_id: contract.certification_id,
  };
}

function pricingOf(pricing: ViewPricing): CardPricing {
  return {
    input_price_per_mtok: pricing.inputPricePerMtok,
    output_price_per_mtok: pricing.outputPricePerMtok,
  };
}
