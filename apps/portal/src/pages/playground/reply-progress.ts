import type { components } from '../../api/generated/schema';
import type { AssistantTurn, ReplyError } from './conversation';

type Chunk = components['schemas']['ChatCompletionChunk'];

/** The reply with one more event of its stream. An event that is none of ours changes nothing. */
export function withEvent(turn: AssistantTurn, data: string, elapsedMs: number): AssistantTurn {
  if (data === '[DONE]') return ended(turn, elapsedMs);
  const chunk = readChunk(data);
  if (chunk === undefined) return turn;
  const facts = { ...turn.facts };
  if (chunk.svc) facts.svc = chunk.svc;
  if (chunk.usage) facts.usage = chunk.usage;
  if (chunk.error) return { ...turn, facts, state: 'failed', error: errorOf(chunk.error) };
  const [choice] = chunk.choices;
  const thought = choice?.delta.reasoning_content ?? '';
  const text = choice?.delta.content ?? '';
  const calls = choice?.delta.tool_calls ?? [];
  if (choice?.finish_reason) facts.finishReason = choice.finish_reason;
  if (thought !== '' || text !== '' || calls.length > 0) facts.firstTokenMs ??= elapsedMs;
  return {
    ...turn,
    facts,
    thoughts: turn.thoughts + thought,
    content: turn.content + text,
    toolCalls: [
      ...turn.toolCalls,
      ...calls.map((call) => ({
        id: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
        ...(call.extra_content && { extraContent: call.extra_content }),
      })),
    ],
  };
}

/** The stream is over. One that nothing was said at the end of broke off. */
export function ended(turn: AssistantTurn, elapsedMs: number): AssistantTurn {
  if (turn.state !== 'streaming') return turn;
  const facts = { ...turn.facts, totalMs: elapsedMs };
  if (facts.svc === undefined) return { ...turn, facts, state: 'failed', error: BROKEN_OFF };
  return { ...turn, facts, state: 'done' };
}

const BROKEN_OFF: ReplyError = {
  code: 'offline',
  status: 0,
  message: 'The connection broke off before the reply was whole.',
};

function errorOf({ code, message, param }: NonNullable<Chunk['error']>): ReplyError {
  return { code: String(code), message, status: 200, ...(typeof param === 'string' && { param }) };
}

function readChunk(data: string): Chunk | undefined {
  try {
    const value: unknown = JSON.parse(data);
    const isChunk =
      typeof value === 'object' && value !== null && 'choices' in value && Array.isArray(value.choices);
    return isChunk ? (value as Chunk) : undefined;
  } catch {
    return undefined;
  }
}
