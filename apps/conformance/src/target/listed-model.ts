import { isObject } from '../exchange/json-object';

/** Base units per million tokens. */
export interface Prices {
  input: bigint;
  output: bigint;
}

/** What the suite goes by of a model's card; whether the card is in order is for the cases of spec 2.3. */
export interface ListedModel {
  id: string;
  workload: string;
  tools: boolean;
  structuredOutputs: boolean;
  reasoning: boolean;
  contextLimit: number;
  maxOutputTokens: number;
  /** Undefined while nobody serves it. */
  prices: Prices | undefined;
  /** What a managed vendor asks, who answers when nobody serves it (production). */
  fallbackPrices: Prices | undefined;
  /** Of the routing model. */
  candidates: string[] | undefined;
  contract: ToolContract | undefined;
}

/** What tools may be asked for; in production nothing says so. */
interface ToolContract {
  choices: string[];
  parallel: boolean;
  strict: boolean;
}

/** @param list the body of `GET /models`, as it came */
export function readModels(list: unknown): ListedModel[] {
  const data = isObject(list) && Array.isArray(list.data) ? (list.data as unknown[]) : [];
  return data.filter(isObject).map(readModel);
}

function readModel(card: Record<string, unknown>): ListedModel {
  const svc = isObject(card.svc) ? card.svc : {};
  const capabilities = isObject(svc.capabilities) ? svc.capabilities : {};
  return {
    id: String(card.id),
    workload: String(capabilities.workload),
    tools: capabilities.tools === true,
    structuredOutputs: capabilities.structuredOutputs === true,
    reasoning: capabilities.reasoning === true,
    contextLimit: Number(svc.contextLimit),
    maxOutputTokens: Number(capabilities.maxOutputTokens),
    prices: readPrices(svc.pricing),
    fallbackPrices: readPrices(svc.fallback_pricing),
    candidates: svc.cortex === true ? readCandidates(svc.candidates) : undefined,
    contract: readContract(svc.tool_contract),
  };
}

function readPrices(pricing: unknown): Prices | undefined {
  if (!isObject(pricing)) return undefined;
  const { input_price_per_mtok: input, output_price_per_mtok: output } = pricing;
  const isPrice = (value: unknown): value is string => typeof value === 'string' && /^\d+$/.test(value);
  return isPrice(input) && isPrice(output) ? { input: BigInt(input), output: BigInt(output) } : undefined;
}

function readCandidates(candidates: unknown): string[] {
  if (!Array.isArray(candidates)) return [];
  return candidates.filter(isObject).map(({ model }) => String(model));
}

function readContract(contract: unknown): ToolContract | undefined {
  if (!isObject(contract)) return undefined;
  return {
    choices: Array.isArray(contract.tool_choice) ? contract.tool_choice.map(String) : [],
    parallel: contract.parallel_tool_calls === true,
    strict: contract.strict_schemas === true,
  };
}
