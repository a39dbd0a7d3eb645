import { compileValidator, halfCharacterIn } from '@svc/validation';
import type { Problem, Validated } from '@svc/validation';
import { problemOfArguments } from './call-arguments';
import { ChatCompletionRequest } from './chat-completion-request';
import type { ChatMessage, ContentPart, MessageRole } from './chat-message';
import { isToolChoiceWord } from './chat-tool';
import type { ToolChoice } from './chat-tool';
import { dropOffered } from './unoffered-fields';

const validate = compileValidator(ChatCompletionRequest);

/**
 * Reads a parsed JSON body as a chat-completion request: valid field by field and as a whole, with nothing in it that
 * was not asked for: unknown fields are dropped at every level, `developer` is `system`, an assistant's refusal is its text,
 * tool fields stand only where they mean something.
 * @returns the request, or the first problem with its JSON path, e.g. `messages[0].content[1].type`
 */
export function parseChatCompletionRequest(input: unknown): Validated<ChatCompletionRequest> {
  const result = validate(input);
  if (!result.ok) return result;
  const request = result.value;
  for (const message of request.messages) cleanMessage(message);
  dropOffered(request);
  if (request.tools?.length === 0) delete request.tools;
  if (request.stop?.length === 0) delete request.stop;
  if (request.tool_choice !== undefined) request.tool_choice = cleanToolChoice(request.tool_choice);
  const problem = problemAcrossFields(request);
  if (problem) return { ok: false, problem };
  if (!request.tools) {
    // Both mean something only beside tools.
    delete request.tool_choice;
    delete request.parallel_tool_calls;
  }
  return { ok: true, value: request };
}

function problemAcrossFields(request: ChatCompletionRequest): Problem | undefined {
  return (
    problemOfText(request) ??
    problemOfLimits(request) ??
    problemOfArguments(request.messages) ??
    problemOfTools(request) ??
    problemOfFormat(request)
  );
}

function problemOfText(request: ChatCompletionRequest): Problem | undefined {
  const path = halfCharacterIn(request);
  return path === undefined ? undefined : { path, message: 'must not hold half a surrogate pair' };
}

function problemOfLimits(request: ChatCompletionRequest): Problem | undefined {
  const { max_tokens: one, max_completion_tokens: other } = request;
  if (one !== undefined && other !== undefined && one !== other) {
    return { path: 'max_completion_tokens', message: 'must equal max_tokens when both are given' };
  }
  if (request.stream_options && !request.stream) {
    return { path: 'stream_options', message: 'is allowed only when stream is true' };
  }
  return undefined;
}

function problemOfTools({ tools, tool_choice: choice }: ChatCompletionRequest): Problem | undefined {
  const names = new Set<string>();
  for (const [index, tool] of (tools ?? []).entries()) {
    if (tool.type !== 'function') continue;
    if (!tool.function) return { path: `tools[${index}].function`, message: 'must be an object' };
    if (names.has(tool.function.name)) {
      return { path: `tools[${index}].function.name`, message: 'must be unique among the tools' };
    }
    names.add(tool.function.name);
  }
  if (choice === undefined || choice === 'auto' || choice === 'none') return undefined;
  if (!tools?.length) return { path: 'tool_choice', message: 'needs tools to choose from' };
  if (typeof choice === 'string' || !choice.function || names.has(choice.function.name)) return undefined;
  return { path: 'tool_choice.function.name', message: 'must name one of the tools' };
}

function problemOfFormat({ response_format: format }: ChatCompletionRequest): Problem | undefined {
  if (format?.type !== 'json_schema' || format.json_schema) return undefined;
  return { path: 'response_format.json_schema', message: 'is required' };
}

function cleanMessage(message: ChatMessage): void {
  if (message.role === 'developer') message.role = 'system';
  if (message.role !== 'tool') delete message.tool_call_id;
  if (message.role !== 'assistant' || message.tool_calls?.length === 0) delete message.tool_calls;
  const { role, tool_calls: calls, refusal } = message;
  for (const call of calls ?? []) if (!call.extra_content) delete call.extra_content;
  if (Array.isArray(message.content)) {
    message.content = message.content.map((part) => cleanPart(part, role));
  }
  // Not every engine takes a refusal; all take text.
  if (role === 'assistant' && !calls && refusal && !message.content) message.content = refusal;
  delete message.refusal;
  if (role !== 'assistant' || message.reasoning_content === null) delete message.reasoning_content;
  message.content ??= null;
}

function cleanPart(part: ContentPart, role: MessageRole): ContentPart {
  if (part.type === 'refusal' && role === 'assistant') return { type: 'text', text: part.refusal };
  return part.type === 'text' ? { type: part.type, text: part.text } : { type: part.type };
}

function cleanToolChoice(choice: ToolChoice): ToolChoice {
  if (typeof choice === 'string') return choice;
  // Cursor puts the word into an object (BerriAI/litellm, pull request 12168), as Anthropic's API has it.
  if (isToolChoiceWord(choice.type)) return choice.type;
  if (choice.type !== 'function' || !choice.function) return { type: choice.type };
  return { type: choice.type, function: { name: choice.function.name } };
}
