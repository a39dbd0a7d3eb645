import type { Answer, MadeCall } from './chat-request';
import { tokensOf } from './tokens';

const IDENTITY = { id: 'chatcmpl-test', created: 1_700_000_000, model: 'test-model' };
export const DONE = 'data: [DONE]\n\n';

/** An answer as one document. */
export function answerBody(answer: Answer): string {
  const { calls, tokens, finishReason } = answer;
  const message = {
    role: 'assistant',
    content: calls.length > 0 ? null : tokens.join(''),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  };
  return JSON.stringify({
    ...IDENTITY,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage: usageOf(answer),
  });
}

/** An answer as the events of a stream, an event a token, `[DONE]` included. */
export function answerEvents(answer: Answer): string[] {
  return [
    deltaEvent({ role: 'assistant', content: answer.calls.length > 0 ? null : '' }),
    ...answer.tokens.map((content) => deltaEvent({ content })),
    ...answer.calls.flatMap(callEvents),
    deltaEvent({}, answer.finishReason),
    event({ choices: [], usage: usageOf(answer) }),
    DONE,
  ];
}

export function deltaEvent(delta: object, finishReason: string | null = null): string {
  return event({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
}

function event(fields: object): string {
  return `data: ${JSON.stringify({ ...IDENTITY, object: 'chat.completion.chunk', ...fields })}\n\n`;
}

function callOf({ name, arguments: text }: MadeCall, index: number): object {
  return { id: `call_${index}`, type: 'function', function: { name, arguments: text } };
}

function callEvents(call: MadeCall, index: number): string[] {
  const first = { index, ...callOf({ ...call, arguments: '' }, index) };
  const pieces = tokensOf(call.arguments).map((piece) => ({ index, function: { arguments: piece } }));
  return [first, ...pieces].map((piece) => deltaEvent({ tool_calls: [piece] }));
}

function usageOf({ usage: { promptTokens, completionTokens } }: Answer): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
