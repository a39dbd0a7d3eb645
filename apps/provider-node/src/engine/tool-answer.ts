import { isJsonObject } from '@svc/validation';
import type { EngineMessage } from './engine-request';
import { SIMULATED, excerpt } from './prose';

const MAX_FIELDS = 8;
const MAX_SHOWN = 300;

/**
 * The answer to the results of tools: the `tool` messages at the end of the conversation.
 * @returns undefined when the conversation does not end with a tool's result
 */
export function answerFromTools(messages: readonly EngineMessage[], question: string): string | undefined {
  const lastOther = messages.findLastIndex(({ role }) => role !== 'tool');
  const results = messages.slice(lastOther + 1);
  if (results.length === 0) return undefined;
  const calls = messages[lastOther]?.toolCalls ?? [];
  const sentences = results.map(({ toolCallId, name, content }) => {
    const tool = calls.find(({ id }) => id === toolCallId)?.name ?? name ?? 'the tool';
    return `According to ${tool}, ${described(content)}.`;
  });
  return `${SIMULATED} You asked “${excerpt(question)}”. ${sentences.join(' ')}`;
}

/** A tool's result in words: the fields of a JSON object, or the text itself. */
function described(content: string): string {
  const fields = parsedFields(content);
  if (fields === undefined) return `the result is: ${excerpt(content, MAX_SHOWN) || '(empty)'}`;
  const shown = fields.slice(0, MAX_FIELDS).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${key.replaceAll('_', ' ')} is ${excerpt(text, MAX_SHOWN)}`;
  });
  return shown.join(shown.length === 2 ? ' and ' : ', ') || 'there is nothing to report';
}

function parsedFields(content: string): [string, unknown][] | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return isJsonObject(value) ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
}
