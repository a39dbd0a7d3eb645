import type {
  EngineMessage,
  EngineRequest,
  EngineResponseFormat,
  EngineTool,
  EngineToolCall,
  EngineToolChoice,
  JsonObject,
  JsonValue,
} from '../engine/engine-request';
import { booleanOf, isAbsent, listOf, memberOf, numberOf, objectOf, textOf } from './fields';
import { invalidRequest } from './openai-error';

/** A chat completion request, read into what the engine answers and how the answer is sent. */
export interface ChatRequest {
  readonly engine: EngineRequest;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

const MAX_MESSAGES = 4_096;
const MAX_TOOLS = 128;
const MAX_STOPS = 4;
const MAX_TOKENS = 100_000_000;
const SAMPLING: readonly (readonly [field: string, low: number, high: number])[] = [
  ['temperature', 0, 2],
  ['top_p', 0, 1],
  ['presence_penalty', -2, 2],
  ['frequency_penalty', -2, 2],
  ['seed', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
];

/**
 * Reads the body of `POST /v1/chat/completions`. Fields it does not know are ignored.
 * @throws OpenAiError 400 with the path of the field that does not fit
 */
export function readChatRequest(body: JsonObject): ChatRequest {
  const tools = listOf(body.tools, 'tools', 0, MAX_TOOLS).map((tool, at) => readTool(tool, `tools[${at}]`));
  if ((numberOf(body.n, 'n', 1, 128) ?? 1) !== 1) throw invalidRequest('n must be 1.', 'n');
  return {
    engine: {
      model: textOf(body.model, 'model'),
      messages: listOf(body.messages, 'messages', 1, MAX_MESSAGES).map((message, at) =>
        readMessage(message, `messages[${at}]`),
      ),
      tools,
      toolChoice: readToolChoice(body.tool_choice, tools),
      parallelToolCalls: booleanOf(body.parallel_tool_calls, 'parallel_tool_calls') ?? true,
      responseFormat: readResponseFormat(body.response_format),
      maxTokens: readMaxTokens(body),
      stop: readStop(body.stop),
      sampling: readSampling(body),
    },
    stream: booleanOf(body.stream, 'stream') ?? false,
    includeUsage: readIncludeUsage(body.stream_options),
  };
}

function readMessage(value: JsonValue, path: string): EngineMessage {
  const message = objectOf(value, path);
  const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
  const role = memberOf(message.role, `${path}.role`, roles);
  const toolCalls = listOf(message.tool_calls, `${path}.tool_calls`, 0, MAX_TOOLS);
  if (isAbsent(message.content) && role !== 'assistant') {
    throw invalidRequest('content must be a string or an array of text parts.', `${path}.content`);
  }
  return {
    role: role === 'developer' ? 'system' : role,
    content: readContent(message.content, `${path}.content`),
    ...(!isAbsent(message.name) && { name: textOf(message.name, `${path}.name`) }),
    ...(role === 'tool' && { toolCallId: textOf(message.tool_call_id, `${path}.tool_call_id`) }),
    ...(toolCalls.length > 0 && {
      toolCalls: toolCalls.map((call, at) => readToolCall(call, `${path}.tool_calls[${at}]`)),
    }),
  };
}

function readContent(value: JsonValue | undefined, path: string): string {
  if (isAbsent(value)) return '';
  if (!Array.isArray(value)) return textOf(value, path);
  const parts = value.map((part, at) => {
    const { type, text } = objectOf(part, `${path}[${at}]`);
    if (type !== 'text') throw invalidRequest('Only text parts are understood here.', `${path}[${at}].type`);
    return textOf(text, `${path}[${at}].text`);
  });
  return parts.join('');
}

function readToolCall(value: JsonValue, path: string): EngineToolCall {
  const { id, function: called } = objectOf(value, path);
  const { name, arguments: given } = objectOf(called, `${path}.function`);
  return {
    id: textOf(id, `${path}.id`),
    name: textOf(name, `${path}.function.name`),
    arguments: textOf(given, `${path}.function.arguments`),
  };
}

function readTool(value: JsonValue, path: string): EngineTool {
  const tool = objectOf(value, path);
  memberOf(tool.type, `${path}.type`, ['function']);
  const { name, description, parameters } = objectOf(tool.function, `${path}.function`);
  const known = textOf(name, `${path}.function.name`);
  if (!/^[\w-]{1,64}$/.test(known)) {
    throw invalidRequest('name must be 1 to 64 letters, digits, "_" or "-".', `${path}.function.name`);
  }
  return {
    name: known,
    ...(!isAbsent(description) && { description: textOf(description, `${path}.function.description`) }),
    ...(!isAbsent(parameters) && { parameters: objectOf(parameters, `${path}.function.parameters`) }),
  };
}

function readToolChoice(value: JsonValue | undefined, tools: readonly EngineTool[]): EngineToolChoice {
  if (isAbsent(value)) return 'auto';
  if (typeof value === 'object') {
    const choice = objectOf(value, 'tool_choice');
    memberOf(choice.type, 'tool_choice.type', ['function']);
    const name = textOf(objectOf(choice.function, 'tool_choice.function').name, 'tool_choice.function.name');
    if (tools.some((tool) => tool.name === name)) return { name };
    throw invalidRequest('tool_choice names a function that is not in tools.', 'tool_choice.function.name');
  }
  const choice = memberOf(value, 'tool_choice', ['auto', 'none', 'required']);
  if (choice === 'required' && tools.length === 0) {
    throw invalidRequest('tool_choice needs tools to choose from.', 'tool_choice');
  }
  return choice;
}

function readResponseFormat(value: JsonValue | undefined): EngineResponseFormat {
  if (isAbsent(value)) return { type: 'text' };
  const format = objectOf(value, 'response_format');
  const type = memberOf(format.type, 'response_format.type', ['text', 'json_object', 'json_schema']);
  if (type !== 'json_schema') return { type };
  const { schema } = objectOf(format.json_schema, 'response_format.json_schema');
  return { type, schema: isAbsent(schema) ? {} : objectOf(schema, 'response_format.json_schema.schema') };
}

function readStop(value: JsonValue | undefined): string[] {
  const stops = typeof value === 'string' ? [value] : listOf(value, 'stop', 0, MAX_STOPS);
  return stops.map((stop, at) => textOf(stop, `stop[${at}]`));
}

function readMaxTokens(body: JsonObject): number | undefined {
  const [older, newer] = ['max_tokens', 'max_completion_tokens'].map((field) => {
    const value = numberOf(body[field], field, 1, MAX_TOKENS);
    if (value === undefined || Number.isInteger(value)) return value;
    throw invalidRequest(`${field} must be a whole number.`, field);
  });
  return newer ?? older;
}

function readSampling(body: JsonObject): JsonObject {
  const given = SAMPLING.map(
    ([field, low, high]) => [field, numberOf(body[field], field, low, high)] as const,
  );
  return Object.fromEntries(given.filter((entry): entry is [string, number] => entry[1] !== undefined));
}

function readIncludeUsage(value: JsonValue | undefined): boolean {
  if (isAbsent(value)) return false;
  return booleanOf(objectOf(value, 'stream_options').include_usage, 'stream_options.include_usage') ?? false;
}
