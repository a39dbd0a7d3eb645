import { isJsonObject } from '@svc/validation';
import type { Unchecked } from '../validation/provider-reply';

/** UTF-8 bytes a token has on average; the marketplace's own measure where a provider gives none. */
const BYTES_PER_TOKEN = 4;
/** What a chat template puts around each message. */
const TOKENS_PER_MESSAGE = 4;

/** The marketplace's own count of what a model wrote. */
export function countOutputTokens(outputBytes: number): number {
  return Math.ceil(outputBytes / BYTES_PER_TOKEN);
}

/** The marketplace's own count of a prompt: texts, calls, tools and the response format; not what a model thought, which few are told. */
export function countPromptTokens(body: object): number {
  const { messages, tools, response_format: format } = body as Unchecked;
  let bytes = jsonBytes(tools) + jsonBytes(format);
  const list = Array.isArray(messages) ? (messages as unknown[]) : [];
  for (const message of list) {
    if (!isJsonObject(message)) continue;
    bytes += contentBytes(message.content) + callBytes(message.tool_calls);
  }
  return Math.ceil(bytes / BYTES_PER_TOKEN) + list.length * TOKENS_PER_MESSAGE;
}

function contentBytes(content: unknown): number {
  if (typeof content === 'string') return Buffer.byteLength(content);
  if (!Array.isArray(content)) return 0;
  let bytes = 0;
  for (const part of content as unknown[]) {
    bytes +=
      isJsonObject(part) && typeof part.text === 'string' ? Buffer.byteLength(part.text) : jsonBytes(part);
  }
  return bytes;
}

function callBytes(calls: unknown): number {
  if (!Array.isArray(calls)) return 0;
  return jsonBytes(
    calls.map((call: unknown) => (isJsonObject(call) ? { ...call, extra_content: undefined } : call)),
  );
}

function jsonBytes(value: unknown): number {
  return value === undefined || value === null ? 0 : Buffer.byteLength(JSON.stringify(value));
}
