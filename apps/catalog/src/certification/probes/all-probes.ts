import type { ProbeName } from '../../certification-queue/probe-names';
import { agentic } from './agentic.probe';
import { argumentBytes } from './argument-bytes.probe';
import { concurrency } from './concurrency.probe';
import { disconnect } from './disconnect.probe';
import { maxTokens } from './max-tokens.probe';
import { parallelToolCalls } from './parallel-tool-calls.probe';
import { plainText } from './plain-text.probe';
import type { Probe } from './probe';
import { responseFormat } from './response-format.probe';
import { stop } from './stop.probe';
import { streamText } from './stream-text.probe';
import { strictSchemas } from './strict-schemas.probe';
import { toolAuto, toolFunction, toolNone, toolRequired } from './tool-choice.probes';
import { usageHonesty } from './usage-honesty.probe';

/** What each probe does. */
export const PROBES: Readonly<Record<ProbeName, Probe>> = {
  plain_text: plainText,
  stream_text: streamText,
  concurrency,
  disconnect,
  max_tokens: maxTokens,
  stop,
  usage_honesty: usageHonesty,
  tool_auto: toolAuto,
  tool_none: toolNone,
  tool_required: toolRequired,
  tool_function: toolFunction,
  parallel_tool_calls: parallelToolCalls,
  strict_schemas: strictSchemas,
  response_format: responseFormat,
  argument_bytes: argumentBytes,
  agentic,
};
