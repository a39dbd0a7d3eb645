import type { CallMetadata } from './call-headers';
import { clockOf } from './rpc-errors';

/**
 * Calls to one subject that are made in the same turn travel in one message, where the contract allows it, as JSON:
 *
 *     the calls    [[deadlineMs, requestId | null, traceparent | null, request], …]
 *     the answers  [[index, 0, result] | [index, 1, error payload] | [index, 1, error payload, clockMs], …]
 *
 * What is not answered in the same turn is answered by a message of its own, each call once. A request by itself is an object, so a message
 * that begins with `[` is such a message. A lone call is sent as it is, with headers. The clock stands where a call came too late by it.
 */
export const MOST_GATHERED_CALLS = 64;
/** Larger requests and answers go by themselves, so that no message grows near what the server takes. */
export const MOST_GATHERED_CHARS = 64 * 1024;

const OPEN_BRACKET = 0x5b;

/** One of a message's calls. */
export interface GatheredCall {
  context: CallMetadata;
  request: unknown;
}

export type GatheredAnswer = { index: number } & ({ result: unknown } | { error: unknown; clockMs?: number });

/** Whether a message holds gathered calls, or what claims to be some. */
export function holdsGathered(data: Uint8Array): boolean {
  return data[0] === OPEN_BRACKET;
}

export function gatheredCall(
  requestJson: string,
  { deadlineMs, requestId, traceparent }: CallMetadata,
): string {
  return `[${deadlineMs ?? 0},${textOrNull(requestId)},${textOrNull(traceparent)},${requestJson}]`;
}

/** @returns undefined for what is none */
export function readGatheredCalls(message: unknown): GatheredCall[] | undefined {
  if (!Array.isArray(message) || message.length === 0 || message.length > MOST_GATHERED_CALLS)
    return undefined;
  const calls: GatheredCall[] = [];
  for (const each of message as unknown[]) {
    if (!Array.isArray(each) || each.length !== 4) return undefined;
    const [deadlineMs, requestId, traceparent, request] = each as unknown[];
    calls.push({
      context: {
        deadlineMs: typeof deadlineMs === 'number' && deadlineMs > 0 ? deadlineMs : undefined,
        requestId: typeof requestId === 'string' ? requestId : undefined,
        traceparent: typeof traceparent === 'string' ? traceparent : undefined,
      },
      request,
    });
  }
  return calls;
}

export function gatheredResult(index: number, resultJson: string): string {
  return `[${index},0,${resultJson}]`;
}

/** @param clockMs where the call came too late: by which clock */
export function gatheredError(index: number, payloadJson: string, clockMs?: number): string {
  return `[${index},1,${payloadJson}${clockMs === undefined ? '' : `,${clockMs}`}]`;
}

/** @returns undefined for what is none */
export function readGatheredAnswers(message: unknown): GatheredAnswer[] | undefined {
  if (!Array.isArray(message)) return undefined;
  const answers: GatheredAnswer[] = [];
  for (const each of message as unknown[]) {
    if (!Array.isArray(each)) return undefined;
    const [index, failed, body, clock] = each as unknown[];
    if (typeof index !== 'number') return undefined;
    answers.push(failed === 0 ? { index, result: body } : { index, error: body, clockMs: clockOf(clock) });
  }
  return answers;
}

function textOrNull(text: string | undefined): string {
  return text === undefined ? 'null' : JSON.stringify(text);
}
