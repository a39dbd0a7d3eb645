import type { ReasoningField } from '@svc/contracts';

interface Conversation {
  messages?: unknown;
}

/** Whether a message of the client's says what a model thought before (`reasoning_content`). */
export function hasThoughts({ messages }: Conversation): boolean {
  return Array.isArray(messages) && messages.some(isThoughtful);
}

/**
 * The body with what a model thought under the name by which a server takes it, or without where it takes none.
 * @param body a chat-completions body in OpenAI's shape
 */
export function withThoughtsAs(body: Conversation, field: ReasoningField | undefined): object {
  if (!Array.isArray(body.messages)) return body;
  const messages = (body.messages as unknown[]).map((message) => {
    if (!isThoughtful(message)) return message;
    const { reasoning_content: thoughts, ...rest } = message;
    return field === undefined ? rest : { ...rest, [field]: thoughts };
  });
  return { ...body, messages };
}

function isThoughtful(message: unknown): message is { reasoning_content: unknown } {
  return typeof message === 'object' && message !== null && 'reasoning_content' in message;
}
