import { randomBytes } from 'node:crypto';
import type { EngineEvent, EngineToolCall, Generation, JsonObject, Usage } from '../engine/engine-request';

/** What every chunk of one reply has in common. */
interface ReplyIdentity {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  readonly fingerprint: string;
}

/** The identity of a new reply. */
export function newIdentity(model: string, fingerprint: string): ReplyIdentity {
  const id = `chatcmpl-${randomBytes(15).toString('base64url')}`;
  return { id, created: Math.floor(Date.now() / 1_000), model, fingerprint };
}

function usageBody({ promptTokens, completionTokens }: Usage): JsonObject {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function functionCall({ id, name, arguments: text }: EngineToolCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: text } };
}

/** The tool calls of an answer, put together from its tokens. */
function toolCallsOf(events: readonly EngineEvent[]): EngineToolCall[] {
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const event of events) {
    if (event.kind === 'tool-call') calls[event.index] = { id: event.id, name: event.name, arguments: '' };
    const call = event.kind === 'arguments' ? calls[event.index] : undefined;
    if (call && event.kind === 'arguments') call.arguments += event.fragment;
  }
  return calls;
}

/** The body of a plain reply (OpenAI's `chat.completion`). */
export function completionBody(identity: ReplyIdentity, generation: Generation): JsonObject {
  const { events, finishReason, usage } = generation;
  const toolCalls = toolCallsOf(events);
  const text = events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
  return {
    id: identity.id,
    object: 'chat.completion',
    created: identity.created,
    model: identity.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: toolCalls.length > 0 ? null : text,
          refusal: null,
          ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(functionCall) }),
        },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage: usageBody(usage),
    system_fingerprint: identity.fingerprint,
  };
}

function chunk(identity: ReplyIdentity, choices: JsonObject[], usage: JsonObject | null | undefined): string {
  const body = {
    id: identity.id,
    object: 'chat.completion.chunk',
    created: identity.created,
    model: identity.model,
    system_fingerprint: identity.fingerprint,
    choices,
    ...(usage !== undefined && { usage }),
  };
  return `data: ${JSON.stringify(body)}\n\n`;
}

/** Server-sent events of one streamed reply. `usage` stands on every chunk where it was asked for, as null. */
export class ChunkFrames {
  private first = true;
  private readonly noUsage: null | undefined;

  constructor(
    private readonly identity: ReplyIdentity,
    private readonly includeUsage: boolean,
  ) {
    this.noUsage = includeUsage ? null : undefined;
  }

  /** The frame of one token; the first says the role too. */
  token(event: EngineEvent): string {
    const role = this.first ? { role: 'assistant', ...(event.kind !== 'text' && { content: null }) } : {};
    this.first = false;
    return this.frame({ ...role, ...deltaOf(event) }, null);
  }

  /** The frames after the last token, `[DONE]` included. */
  end({ finishReason, usage }: Generation): string {
    const finish = this.frame({}, finishReason);
    const report = this.includeUsage ? chunk(this.identity, [], usageBody(usage)) : '';
    return `${finish}${report}data: [DONE]\n\n`;
  }

  private frame(delta: JsonObject, finishReason: string | null): string {
    return chunk(
      this.identity,
      [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      this.noUsage,
    );
  }
}

function deltaOf(event: EngineEvent): JsonObject {
  switch (event.kind) {
    case 'text':
      return { content: event.text };
    case 'tool-call':
      return { tool_calls: [{ index: event.index, ...functionCall({ ...event, arguments: '' }) }] };
    case 'arguments':
      return { tool_calls: [{ index: event.index, function: { arguments: event.fragment } }] };
  }
}
