import type { ProbeObservation, ProbeReply, ProbeToolCall } from '@svc/contracts';
import type { Observed } from './judge-replies';
import { Draw } from './draw';
import type { Figures, ProbeTerms } from './probe';

export const TERMS: ProbeTerms = {
  firstTokenTimeoutMs: 5_000,
  chunkTimeoutMs: 3_000,
  callTimeoutMs: 60_000,
  concurrency: 8,
  contextLimit: 8_192,
  maxOutputTokens: 4_096,
  maxArgumentBytes: 65_536,
  argumentBudgetMs: 4_500,
  reasoning: false,
};

/** What a probe has at hand, but for the endpoint. */
export const AT_HAND = {
  terms: TERMS,
  draw: new Draw('spec'),
  figuresOf: (): Figures | undefined => undefined,
  ping: () => Promise.resolve({ alive: true, status: 200, ms: 5 }),
  pause: () => Promise.resolve(),
};

export function observationOf(changes: Partial<ProbeObservation> = {}): ProbeObservation {
  return {
    outcome: 'replied',
    status: 200,
    sent: '{"messages":[]}',
    received: '',
    receivedBytes: 100,
    firstTokenMs: 150,
    totalMs: 650,
    ...changes,
  };
}

/** A reply that came; its bytes are the content's and the calls'. */
export function replied(
  reply: Partial<ProbeReply> = {},
  changes: Partial<ProbeObservation> = {},
): ProbeObservation {
  const { content = 'ready', toolCalls = [] } = reply;
  const outputBytes =
    Buffer.byteLength(content ?? '') +
    toolCalls.reduce((sum, call) => sum + Buffer.byteLength(call.name + call.arguments), 0);
  return observationOf({
    reply: { content, toolCalls, finishReason: 'stop', outputBytes, ...reply },
    ...changes,
  });
}

export function called(...toolCalls: Omit<ProbeToolCall, 'id'>[]): ProbeObservation {
  const calls = toolCalls.map((call, index) => ({ id: `call_${index}`, ...call }));
  return replied({ content: null, toolCalls: calls, finishReason: 'tool_calls' });
}

export function failing(
  reason: string,
  changes: Partial<ProbeObservation> = {},
  kind: 'unavailable' | 'invalid' = 'unavailable',
): ProbeObservation {
  return observationOf({ outcome: 'failed', failure: { kind, reason }, ...changes });
}

/** The same in one piece and streamed. */
export function bothWays(observation: ProbeObservation, streamed = observation): Observed[] {
  return [
    { stream: false, observation },
    { stream: true, observation: streamed },
  ];
}
