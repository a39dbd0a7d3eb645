import type { ProbeName } from '../../certification-queue/probe-names';
import type { ToolChoice } from './functions';

/** Whether a probe was passed. */
type Held = (name: ProbeName) => boolean;

/** How a single call is asked for most surely; undefined where no `tool_choice` that leads to calls held. */
export function surestChoice(held: Held): ToolChoice | undefined {
  return (['function', 'required', 'auto'] as const).find((choice) => held(`tool_${choice}`));
}

/** How several calls are asked for: naming one function asks for one call with many servers. */
export function widestChoice(held: Held): ToolChoice | undefined {
  return (['auto', 'required', 'function'] as const).find((choice) => held(`tool_${choice}`));
}
