/** A function that may be called. */
export interface OfferedTool {
  type: 'function';
  function: { name: string; description?: string; parameters?: object; strict?: boolean };
}

export interface ChatMessage {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

/** What a provider is asked, in OpenAI's shape; test servers believe what they get. */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  stream?: boolean;
  max_tokens?: number;
  stop?: string | string[];
  tools?: OfferedTool[];
  tool_choice?: 'auto' | 'none' | 'required' | { function: { name: string } };
  parallel_tool_calls?: boolean;
  response_format?: { type: string; json_schema?: { schema?: object; strict?: boolean } };
  stream_options?: { include_usage?: boolean };
}

export interface MadeCall {
  name: string;
  /** The document as text. */
  arguments: string;
}

/** A whole answer, before it is put on the wire. */
export interface Answer {
  /** The text, token by token; empty when tools are called. */
  tokens: string[];
  calls: MadeCall[];
  finishReason: 'stop' | 'length' | 'tool_calls';
  usage: { promptTokens: number; completionTokens: number };
}

/** A message's text, its parts joined. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('');
}

/** What the user said last. */
export function questionOf({ messages }: ChatRequest): string {
  return textOf(messages.findLast(({ role }) => role === 'user') ?? { role: 'user', content: '' });
}
