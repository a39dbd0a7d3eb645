import { isObject } from '../exchange/json-object';

/** A call as the suite looks at it; that it has this shape is for the cases that say so. */
export interface Call {
  id: string;
  function: { name: string; arguments: string };
}

interface Reply {
  choices?: {
    finish_reason?: unknown;
    message?: { content?: string | null; tool_calls?: Call[] };
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  svc?: { cost_usdc?: string; provider?: string; served?: { model?: string; provider?: string } };
}

/** A body whose parts are read without a word about what is missing. */
function replyOf(body: unknown): Reply {
  return isObject(body) ? body : {};
}

export function contentOf(body: unknown): string | null | undefined {
  return replyOf(body).choices?.[0]?.message?.content;
}

/** Null where there is none. */
export function messageOf(body: unknown): object | null {
  return replyOf(body).choices?.[0]?.message ?? null;
}

export function callsOf(body: unknown): Call[] {
  return replyOf(body).choices?.[0]?.message?.tool_calls ?? [];
}

export function finishReasonOf(body: unknown): unknown {
  return replyOf(body).choices?.[0]?.finish_reason;
}

/** NaN where a figure is missing: no comparison with it holds. */
export function usageOf(body: unknown): {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
} {
  return { prompt_tokens: NaN, completion_tokens: NaN, total_tokens: NaN, ...replyOf(body).usage };
}

export function serviceOf(body: unknown): NonNullable<Reply['svc']> {
  return replyOf(body).svc ?? {};
}
