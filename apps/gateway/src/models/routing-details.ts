import { createHash } from 'node:crypto';
import type { ModelCapabilities, ModelView, ToolContract } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import type { RoutingModel } from './listed-model';

/** Hex digits of a joint certification's id: nobody happens on the same by chance. */
const JOINT_DIGITS = 32;

/** What is true of every candidate (spec section 2.3: the most conservative of them). */
interface CommonDetails {
  contextLimit: number;
  capabilities: ModelCapabilities;
  /** Present when `capabilities.tools` is true. */
  toolContract?: ToolContract;
}

/** What each of the candidates can do, so that no choice among them does less than the routing model's card says. */
export function commonDetailsOf({ candidates }: RoutingModel): CommonDetails {
  const all = candidates.map(({ capabilities }) => capabilities);
  const toolContract = commonContractOf(candidates);
  return {
    contextLimit: Math.min(...candidates.map(({ contextLimit }) => contextLimit)),
    capabilities: {
      workload: 'chat',
      tools: toolContract !== undefined,
      structuredOutputs: all.every((each) => each.structuredOutputs),
      reasoning: all.every((each) => each.reasoning),
      streaming: all.every((each) => each.streaming),
      maxOutputTokens: Math.min(...all.map(({ maxOutputTokens }) => maxOutputTokens)),
    },
    ...(toolContract && { toolContract }),
  };
}

/** Whether a provider serves the candidate at a price that the routing model pays, as far as the lowest price tells. */
export function isAvailable({ pricing }: ModelView, { ceiling }: RoutingModel): boolean {
  return (
    pricing !== undefined &&
    parseBaseUnits(pricing.inputPricePerMtok) <= parseBaseUnits(ceiling.inputPricePerMtok) &&
    parseBaseUnits(pricing.outputPricePerMtok) <= parseBaseUnits(ceiling.outputPricePerMtok)
  );
}

/** @returns undefined when one of them has no tools, or they can be chosen in no way that all have */
function commonContractOf(candidates: readonly ModelView[]): ToolContract | undefined {
  const contracts: ToolContract[] = [];
  for (const { capabilities, toolContract } of candidates) {
    if (!capabilities.tools || !toolContract) return undefined;
    contracts.push(toolContract);
  }
  const common = contracts.reduce(narrower);
  if (common.tool_choice.length === 0) return undefined;
  return { ...common, certification_id: jointIdOf(contracts) };
}

function narrower(a: ToolContract, b: ToolContract): ToolContract {
  return {
    ...a,
    tool_choice: a.tool_choice.filter((choice) => b.tool_choice.includes(choice)),
    parallel_tool_calls: a.parallel_tool_calls && b.parallel_tool_calls,
    strict_schemas: a.strict_schemas && b.strict_schemas,
    max_argument_bytes: Math.min(a.max_argument_bytes, b.max_argument_bytes),
    certified_concurrency: Math.min(a.certified_concurrency, b.certified_concurrency),
    agentic_certified: a.agentic_certified && b.agentic_certified,
    metering_version: Math.min(a.metering_version, b.metering_version),
  };
}

/**
 * Several certifications together have no report of their own: none was run for what they have in common. Their joint id names the set,
 * and is another one as soon as one of them is.
 */
function jointIdOf(contracts: readonly ToolContract[]): string {
  const ids = [...new Set(contracts.map(({ certification_id: id }) => id))].sort();
  const [only = '', ...more] = ids;
  if (more.length === 0) return only;
  return `joint_${createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, JOINT_DIGITS)}`;
}
