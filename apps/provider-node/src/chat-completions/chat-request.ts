import { parseChatCompletionRequest } from '@svc/openai-api';
import type { ChatCompletionRequest, ChatMessage, ChatTool } from '@svc/openai-api';
import type {
  EngineMessage,
  EngineRequest,
  EngineResponseFormat,
  EngineTool,
  EngineToolChoice,
  JsonObject,
  JsonValue,
} from '../engine/engine-request';
import { invalidRequest } from './openai-error';

/** A chat completion request, read into what the engine answers and how the answer is sent. */
interface ChatRequest {
  readonly engine: EngineRequest;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

/** Settings that make another answer of the same question. */
const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'seed'] as const;

/**
 * Reads the body of `POST /v1/chat/completions`. Fields it does not know are ignored.
 * @throws OpenAiError 400 with the path of the field that does not fit
 */
export function readChatRequest(body: JsonObject): ChatRequest {
  const parsed = parseChatCompletionRequest(body);
  if (!parsed.ok) {
    const { path, message } = parsed.problem;
    throw invalidRequest(`${path || 'The body'} ${message}.`, path || undefined);
  }
  const request = parsed.value;
  if ((request.n ?? 1) !== 1) throw invalidRequest('n must be 1.', 'n');
  return {
    engine: {
      model: request.model,
      messages: request.messages.map(engineMessage),
      tools: (request.tools ?? []).map(engineTool),
      toolChoice: engineToolChoice(request.tool_choice),
      parallelToolCalls: request.parallel_tool_calls ?? true,
      responseFormat: engineResponseFormat(request.response_format),
      maxTokens: request.max_completion_tokens ?? request.max_tokens,
      stop: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
      sampling: samplingOf(request),
    },
    stream: request.stream ?? false,
    includeUsage: request.stream_options?.include_usage ?? false,
  };
}

/** Schemas are typed as records of unknown values; they were parsed from JSON and hold nothing else. */
function asJson(schema: Record<string, unknown>): JsonObject {
  return schema as Record<string, JsonValue>;
}

function engineMessage(message: ChatMessage, at: number): EngineMessage {
  const { role, name, tool_call_id: toolCallId, tool_calls: toolCalls } = message;
  return {
    role: role === 'developer' ? 'system' : role,
    content: textOf(message, at),
    ...(name !== undefined && { name }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(toolCalls && { toolCalls: toolCalls.map(({ id, function: called }) => ({ id, ...called })) }),
  };
}

function textOf({ content }: ChatMessage, at: number): string {
  if (content === null || typeof content === 'string') return content ?? '';
  const strange = content.findIndex(({ type }) => type !== 'text');
  if (strange < 0) return content.map(({ text }) => text ?? '').join('');
  throw invalidRequest('Only text parts are understood here.', `messages[${at}].content[${strange}].type`);
}

function engineTool({ function: named }: ChatTool, at: number): EngineTool {
  if (!named) throw invalidRequest('Only functions are understood here.', `tools[${at}].type`);
  const { name, description, parameters } = named;
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters: asJson(parameters) }),
  };
}

function engineToolChoice(choice: ChatCompletionRequest['tool_choice']): EngineToolChoice {
  if (choice === undefined || typeof choice === 'string') return choice ?? 'auto';
  if (choice.function) return { name: choice.function.name };
  throw invalidRequest('tool_choice must name a function.', 'tool_choice.type');
}

function engineResponseFormat(format: ChatCompletionRequest['response_format']): EngineResponseFormat {
  const type = format?.type ?? 'text';
  return type === 'json_schema' ? { type, schema: asJson(format?.json_schema?.schema ?? {}) } : { type };
}

function samplingOf(request: ChatCompletionRequest): JsonObject {
  const given = SAMPLING.map((field) => [field, request[field]] as const);
  return Object.fromEntries(
    given.filter((entry): entry is [(typeof SAMPLING)[number], number] => entry[1] !== undefined),
  );
}
