import type { CertificationKind } from '@svc/contracts';

/**
 * The probes of a full certification, in the order in which they are reported. Capacity comes before the rest: how much may be asked
 * at once is known from then on.
 */
export const PROBE_NAMES = [
  'plain_text',
  'stream_text',
  'concurrency',
  'disconnect',
  'max_tokens',
  'stop',
  'usage_honesty',
  'tool_auto',
  'tool_none',
  'tool_required',
  'tool_function',
  'parallel_tool_calls',
  'strict_schemas',
  'response_format',
  'argument_bytes',
  'agentic',
] as const;

export type ProbeName = (typeof PROBE_NAMES)[number];

/** Every offer must pass these; the others say what it may serve besides. */
const REQUIRED: ReadonlySet<ProbeName> = new Set<ProbeName>([
  'plain_text',
  'stream_text',
  'concurrency',
  'disconnect',
  'max_tokens',
  'stop',
  'usage_honesty',
]);

/** A canary asks little, and of an offer with tools whether it still has them; each of its probes must pass. */
const CANARY_NAMES: readonly ProbeName[] = [
  'plain_text',
  'stream_text',
  'usage_honesty',
  'tool_required',
  'tool_function',
];

/** The probes of a run, in order. */
export function probesOf(kind: CertificationKind): { name: ProbeName; required: boolean }[] {
  const names = kind === 'full' ? PROBE_NAMES : CANARY_NAMES;
  return names.map((name) => ({ name, required: kind === 'canary' || REQUIRED.has(name) }));
}
