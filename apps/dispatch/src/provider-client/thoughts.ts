import type { ReasoningField } from '@svc/contracts';

interface Conversation {
  messages?: unknown;
}

/** A message in which a model's thoughts may stand: in a field of its own, or sealed beside its calls. */
interface Message {
  reasoning_content?: unknown;
  tool_calls?: unknown;
}

/** Whether a message of the client's says what a model thought before. */
export function hasThoughts({ messages }: Conversation): boolean {
  return Array.isArray(messages) && messages.some(isThoughtful);
}

/**
 * The body with what a model thought by the field in which a server takes it, and without it elsewhere.
 * @param body a chat-completions body in OpenAI's shape, with thoughts where the marketplace's replies have them
 * @param field undefined for a server that takes none
 */
export function withThoughtsAs(body: Conversation, field: ReasoningField | undefined): object {
  if (!Array.isArray(body.messages)) return body;
  const messages = (body.messages as unknown[]).map((message) =>
    isThoughtful(message) ? retold(message, field) : message,
  );
  return { ...body, messages };
}

function retold(message: Message, field: ReasoningField | undefined): object {
  const { reasoning_content: thoughts, tool_calls: calls, ...rest } = message;
  const isTold = thoughts !== undefined && field !== undefined && field !== 'extra_content';
  return {
    ...rest,
    ...(isTold && { [field]: thoughts }),
    ...(Array.isArray(calls) && { tool_calls: field === 'extra_content' ? calls : calls.map(unsealed) }),
  };
}

function unsealed(call: unknown): unknown {
  if (!isSealed(call)) return call;
  const rest: { extra_content?: unknown } = { ...call };
  delete rest.extra_content;
  return rest;
}

function isThoughtful(message: unknown): message is Message {
  if (typeof message !== 'object' || message === null) return false;
  const { reasoning_content: thoughts, tool_calls: calls } = message as Message;
  return thoughts !== undefined || (Array.isArray(calls) && calls.some(isSealed));
}

function isSealed(call: unknown): call is { extra_content: unknown } {
  return typeof call === 'object' && call !== null && 'extra_content' in call;
}
