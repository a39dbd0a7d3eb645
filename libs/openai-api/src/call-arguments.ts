import { jsonPartsOf } from '@svc/validation';
import type { Problem } from '@svc/validation';
import type { ChatMessage } from './chat-message';
import { MAX_JSON_PARTS } from './json-limit';

const TOO_MANY = `must not hold, with the calls before, more than ${MAX_JSON_PARTS} JSON values and names of fields`;

/**
 * The arguments of a call are a JSON object document (spec section 2.2), and chat templates want them as an object: llama.cpp's server answers
 * 500 to what it cannot parse, others 400. There may be none at all: streams of calls that give no parameter may hold none, and clients send them back so.
 *
 * To the body that they came in each is one value. What they hold is counted here, where they have more characters than are allowed of it.
 */
export function problemOfArguments(messages: readonly ChatMessage[]): Problem | undefined {
  const isWorthCounting = charactersOf(messages) > MAX_JSON_PARTS;
  let room = MAX_JSON_PARTS;
  for (const [at, { tool_calls: calls = [] }] of messages.entries()) {
    for (const [index, { function: called }] of calls.entries()) {
      if (isWorthCounting) room -= jsonPartsOf(called.arguments, { parts: room });
      const message = room < 0 ? TOO_MANY : problemOfText(called.arguments);
      if (message) return { path: `messages[${at}].tool_calls[${index}].function.arguments`, message };
    }
  }
  return undefined;
}

function charactersOf(messages: readonly ChatMessage[]): number {
  let characters = 0;
  for (const { tool_calls: calls = [] } of messages) {
    for (const call of calls) characters += call.function.arguments.length;
  }
  return characters;
}

/**
 * Whether a call has no arguments: PHP's and other clients that read them into a value write an empty one back as a list, or as null.
 */
export function areNoArguments(text: string): boolean {
  return /^\s*(?:null|\[\s*\])?\s*$/.test(text);
}

function problemOfText(text: string): string | undefined {
  if (areNoArguments(text)) return undefined;
  return isObjectDocument(text) ? undefined : 'must be a JSON object, as text';
}

function isObjectDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
