/** What a provider answers, before it is put on the wire as JSON or as server-sent events. */
export interface ProviderReply {
  readonly text: string;
  readonly toolCalls: readonly ProviderToolCall[];
  /** null leaves the reply without an end. */
  readonly finishReason: string | null;
  /** undefined leaves usage out. */
  readonly usage: ProviderUsage | undefined;
}

interface ProviderToolCall {
  readonly id: string;
  /** undefined leaves the name out. */
  readonly name: string | undefined;
  readonly arguments: string;
}

interface ProviderUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** The identity that replies of test providers carry. */
const IDENTITY = {
  id: 'chatcmpl-test',
  created: 1_700_000_000,
  model: 'test-model',
  system_fingerprint: 'fp_test',
};

/** Usage whose total is right. */
export function usageOf(promptTokens: number, completionTokens: number): ProviderUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** A text's pieces as a stream sends them: words with the space before them. */
export function piecesOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

function functionCall({ id, name, arguments: text }: ProviderToolCall): object {
  return { id, type: 'function', function: { ...(name !== undefined && { name }), arguments: text } };
}

/** The reply as a plain JSON document. */
export function plainBody({ text, toolCalls, finishReason, usage }: ProviderReply): string {
  const message = {
    role: 'assistant',
    content: toolCalls.length > 0 ? null : text,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(functionCall) }),
  };
  return JSON.stringify({
    ...IDENTITY,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finishReason }],
    ...(usage && { usage }),
  });
}

/** One chunk of a stream as an event. */
export function chunkFrame(delta: object, finishReason: string | null = null): string {
  return frame({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
}

export const DONE_FRAME = 'data: [DONE]\n\n';

function frame(fields: object): string {
  return `data: ${JSON.stringify({ ...IDENTITY, object: 'chat.completion.chunk', ...fields })}\n\n`;
}

/**
 * The reply as the events of a stream, `[DONE]` included. A tool call's id and name come first, its arguments in two
 * halves after them.
 * @param includeUsage whether the request asked for usage in the stream
 */
export function streamFrames(reply: ProviderReply, includeUsage: boolean): string[] {
  const { text, toolCalls, finishReason, usage } = reply;
  const words = toolCalls.length > 0 ? [] : piecesOf(text).map((piece) => chunkFrame({ content: piece }));
  const calls = toolCalls.flatMap((call, index) => {
    const middle = Math.ceil(call.arguments.length / 2);
    const halves = [call.arguments.slice(0, middle), call.arguments.slice(middle)];
    return [
      chunkFrame({ tool_calls: [{ index, ...functionCall({ ...call, arguments: '' }) }] }),
      ...halves.map((half) => chunkFrame({ tool_calls: [{ index, function: { arguments: half } }] })),
    ];
  });
  return [
    chunkFrame({ role: 'assistant', content: toolCalls.length > 0 ? null : '' }),
    ...words,
    ...calls,
    ...(finishReason === null ? [] : [chunkFrame({}, finishReason)]),
    ...(usage && includeUsage ? [frame({ choices: [], usage })] : []),
    DONE_FRAME,
  ];
}
