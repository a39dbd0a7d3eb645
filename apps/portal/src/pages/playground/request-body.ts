import type { ChatBody } from '../../code-samples/chat-samples';
import type { Json } from '../../code-samples/literals';
import type { Turn } from './conversation';
import { FUNCTION_CHOICE, readTools } from './settings';
import type { Settings } from './settings';

/** What a client of its own would send for the conversation as it stands. The settings have no problems. */
export function bodyOf(settings: Settings, turns: readonly Turn[]): ChatBody {
  const system: Json[] = settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }];
  return {
    model: settings.model,
    messages: [...system, ...turns.flatMap(messagesOf)],
    ...numbersOf(settings),
    // A line break cannot be typed in the field.
    ...(settings.stop.length > 0 && { stop: settings.stop.map((text) => text.replaceAll('\\n', '\n')) }),
    ...formatOf(settings),
    ...toolsOf(settings),
    stream: true,
  };
}

/** A reply that failed was never given, and one that was stopped before it said anything neither. */
function messagesOf(turn: Turn): Json[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: turn.content }];
    case 'tool':
      return [{ role: 'tool', tool_call_id: turn.toolCallId, content: turn.content }];
    case 'assistant': {
      const { thoughts, content, toolCalls, state } = turn;
      if (state === 'failed' || (content === '' && toolCalls.length === 0)) return [];
      const calls = toolCalls.map(({ id, name, arguments: text, extraContent }) => ({
        ...{ id, type: 'function', function: { name, arguments: text } },
        ...(extraContent && { extra_content: extraContent as Json }),
      }));
      return [
        {
          role: 'assistant',
          content: content === '' ? null : content,
          ...(thoughts !== '' && { reasoning_content: thoughts }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
      ];
    }
  }
}

function numbersOf(settings: Settings): { [name: string]: number } {
  const typed = {
    temperature: settings.temperature,
    top_p: settings.topP,
    max_tokens: settings.maxTokens,
    seed: settings.seed,
  };
  const given = Object.entries(typed).filter(([, text]) => text.trim() !== '');
  return Object.fromEntries(given.map(([name, text]) => [name, Number(text)]));
}

function formatOf({ format, schema }: Settings): { [name: string]: Json } {
  if (format === 'text') return {};
  if (format === 'json_object') return { response_format: { type: 'json_object' } };
  const given = JSON.parse(schema) as Json;
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'reply', strict: true, schema: given } },
  };
}

function toolsOf({ tools: text, toolChoice }: Settings): { [name: string]: Json } {
  const tools = readTools(text);
  if (typeof tools === 'string' || tools.length === 0) return {};
  const named = toolChoice.startsWith(FUNCTION_CHOICE) ? toolChoice.slice(FUNCTION_CHOICE.length) : undefined;
  // The one that was chosen may have been taken away since.
  const isThere = named === undefined || tools.some((tool) => tool.function.name === named);
  const choice: Json = named === undefined ? toolChoice : { type: 'function', function: { name: named } };
  const isSaid = toolChoice !== 'auto' && isThere;
  return { tools: tools as unknown as Json, ...(isSaid && { tool_choice: choice }) };
}
