import type { ModelCapabilities, ModelView, ToolContract } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import type {
  CardCapabilities,
  CardPricing,
  CardToolContract,
  ModelCard,
  ModelDetails,
} from '@svc/openai-api';

/** A model as clients see it (spec section 2.3): every field named here, nothing else of the view gets out. */
export function modelCardOf(view: ModelView, environment: Environment): ModelCard {
  return {
    id: view.id,
    object: 'model',
    created: view.created,
    owned_by: view.ownedBy,
    svc: detailsOf(view, environment),
  };
}

function detailsOf(view: ModelView, environment: Environment): ModelDetails {
  const { capabilities, pricing, contextLimit } = view;
  const contract = environment.publishesToolContract && capabilities.tools ? view.toolContract : undefined;
  return {
    contextLimit,
    capabilities: capabilitiesCard(capabilities),
    ...(pricing && { pricing: pricingOf(pricing) }),
    ...(contract && { tool_contract: toolContractCard(contract) }),
  };
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

function pricingOf(pricing: NonNullable<ModelView['pricing']>): CardPricing {
  return {
    input_price_per_mtok: pricing.inputPricePerMtok,
    output_price_per_mtok: pricing.outputPricePerMtok,
  };
}
