import { METERING_VERSION, REASONING_FIELDS } from '@svc/contracts';
import type { CertifiedScope, ModelCapabilities, ProbeRefusal, ProbeStatus } from '@svc/contracts';
import type { ProbeName } from '../certification-queue/probe-names';
import { outputWithin } from '../publication/served-limits';
import { THOUGHTS_TAKEN } from './probes/agentic.probe';
import { TOOL_CHOICES } from './probes/functions';
import type { Figures } from './probes/probe';

/** How a probe of a run stands. */
export interface ProbeState {
  readonly name: ProbeName;
  readonly required: boolean;
  readonly status: ProbeStatus;
  readonly message: string | null;
  readonly figures: Figures;
  /** It failed for what may be over a while later, as far as is known here: it is not written down. */
  readonly isPassing?: boolean;
}

/** Why a run is refused. */
export interface RunRefusal extends ProbeRefusal {
  /** What failed may be over a while later. */
  readonly isPassing?: boolean;
}

/** What bounds the result besides the probes. */
interface ScopeBounds {
  readonly certificationId: string;
  /** The operator's definition: the most there may be. */
  readonly ceiling: ModelCapabilities;
  /** The offer's, tokens. */
  readonly contextLimit: number;
}

/** Why a run is refused: the first of its required probes, in their order, that failed. Undefined while none has. */
export function refusalOf(probes: readonly ProbeState[]): RunRefusal | undefined {
  const broken = probes.find(({ required, status }) => required && status === 'failed');
  if (!broken) return undefined;
  const { name: probe, message, isPassing } = broken;
  return { probe, message: message ?? 'The probe failed.', ...(isPassing && { isPassing }) };
}

/** What an offer that passed may serve: what its probes found, and nothing that the model's definition rules out. */
export function scopeOf(probes: readonly ProbeState[], bounds: ScopeBounds): CertifiedScope {
  const { ceiling, contextLimit } = bounds;
  const held = (name: ProbeName) => probes.some((probe) => probe.name === name && probe.status === 'passed');
  const figure = (name: ProbeName, of: string) =>
    probes.find((probe) => probe.name === name)?.figures[of] ?? 0;
  const tools = ceiling.tools && (held('tool_auto') || held('tool_required') || held('tool_function'));
  const concurrency = figure('concurrency', 'held');
  const reasoningField = REASONING_FIELDS.find((field) => figure('agentic', THOUGHTS_TAKEN[field]) > 0);
  return {
    capabilities: {
      workload: ceiling.workload,
      tools,
      structuredOutputs: ceiling.structuredOutputs && held('response_format'),
      reasoning: ceiling.reasoning,
      streaming: ceiling.streaming && held('stream_text'),
      maxOutputTokens: outputWithin(contextLimit, ceiling.maxOutputTokens),
    },
    toolContract: tools
      ? {
          tool_choice: TOOL_CHOICES.filter((choice) => held(`tool_${choice}`)),
          parallel_tool_calls: held('parallel_tool_calls'),
          strict_schemas: held('strict_schemas'),
          tool_streaming: 'buffered',
          max_argument_bytes: figure('argument_bytes', 'held'),
          certified_concurrency: concurrency,
          agentic_certified: held('agentic'),
          metering_version: METERING_VERSION,
          certification_id: bounds.certificationId,
        }
      : null,
    concurrency,
    firstTokenMs: figure('stream_text', 'firstTokenMs'),
    tokensPerSecond: figure('stream_text', 'tokensPerSecond'),
    ...(reasoningField && { reasoningField }),
  };
}
