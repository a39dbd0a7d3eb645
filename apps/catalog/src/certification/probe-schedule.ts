import type { CertifiedScope, ModelCapabilities } from '@svc/contracts';
import type { ProbeName } from '../certification-queue/probe-names';
import type { ProbeState } from './run-judgement';

/** What is measured while nothing else is asked of the endpoint; each waits for those before it, and all others for these. */
const ALONE: readonly ProbeName[] = ['plain_text', 'stream_text', 'concurrency', 'disconnect'];

const CALLING: readonly ProbeName[] = ['tool_auto', 'tool_required', 'tool_function'];
const CHOICES: readonly ProbeName[] = [...CALLING, 'tool_none'];

/** These go by which `tool_choice` held. */
const AFTER_CHOICES: readonly ProbeName[] = [
  'argument_bytes',
  'parallel_tool_calls',
  'strict_schemas',
  'agentic',
];

/** In this order probes begin: those that others wait for, then those that take long. */
const BEGINNING: readonly ProbeName[] = [
  ...ALONE,
  ...CHOICES,
  'argument_bytes',
  'agentic',
  'stop',
  'usage_honesty',
  'strict_schemas',
  'response_format',
  'max_tokens',
  'parallel_tool_calls',
];
const AT_ONCE = 4;

type Standing = Pick<ProbeState, 'name' | 'status'>;

const isOver = ({ status }: Standing) => status !== 'pending' && status !== 'running';

/**
 * The probes that are to begin now: at most four at once, none beside one that measures.
 * @param left those that wait for another time
 */
export function probesToBegin(
  probes: readonly Standing[],
  left: ReadonlySet<ProbeName> = new Set(),
): ProbeName[] {
  const isAlone = ({ name }: Standing) => ALONE.includes(name);
  const running = probes.filter(({ status }) => status === 'running');
  if (running.some(isAlone)) return [];
  const waiting = probes.filter(({ name, status }) => status === 'pending' && !left.has(name));
  const measuring = ALONE.find((name) => waiting.some((probe) => probe.name === name));
  if (measuring !== undefined) return running.length === 0 ? [measuring] : [];
  const choicesOver = probes.every((probe) => !CHOICES.includes(probe.name) || isOver(probe));
  return BEGINNING.filter((name) => waiting.some((probe) => probe.name === name))
    .filter((name) => choicesOver || !AFTER_CHOICES.includes(name))
    .slice(0, Math.max(0, AT_ONCE - running.length));
}

/** What a run knows of its offer that makes probes needless. */
export interface SkipGrounds {
  /** The operator's definition of the model. */
  readonly ceiling: ModelCapabilities;
  /** Of a canary: what the offer is certified for. */
  readonly certified?: CertifiedScope | null;
}

/** Why a probe that would begin now is left out; undefined when it is not. */
export function skipReason(
  name: ProbeName,
  probes: readonly Standing[],
  { ceiling, certified }: SkipGrounds,
): string | undefined {
  const isTool = CHOICES.includes(name) || AFTER_CHOICES.includes(name);
  if (isTool && !ceiling.tools) return 'the model is defined without tools';
  if (name === 'response_format' && !ceiling.structuredOutputs) {
    return 'the model is defined without structured outputs';
  }
  if (certified !== undefined && CHOICES.includes(name)) {
    const choices = certified?.toolContract?.tool_choice ?? [];
    return choices.includes(name.replace('tool_', '')) ? undefined : 'the offer is not certified for it';
  }
  const held = (probe: ProbeName) =>
    probes.some((other) => other.name === probe && other.status === 'passed');
  if (name === 'agentic' && !held('tool_auto')) return 'tool_choice "auto" did not hold';
  if (AFTER_CHOICES.includes(name) && !CALLING.some(held)) return 'no tool_choice led to a call';
  return undefined;
}
