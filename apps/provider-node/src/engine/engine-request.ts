/** Any value JSON can hold. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** A function the model may call; `parameters` is the JSON Schema of its arguments. */
export interface EngineTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonValue;
}

export type EngineToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export interface EngineToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface EngineMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** The message's text; parts are joined, and an absent content is empty. */
  readonly content: string;
  readonly name?: string;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly EngineToolCall[];
}

export type EngineResponseFormat =
  { readonly type: 'text' | 'json_object' } | { readonly type: 'json_schema'; readonly schema: JsonValue };

/** What decides the engine's answer. Two requests that are equal here get the same text. */
export interface EngineRequest {
  readonly model: string;
  readonly messages: readonly EngineMessage[];
  readonly tools: readonly EngineTool[];
  readonly toolChoice: EngineToolChoice;
  readonly parallelToolCalls: boolean;
  readonly responseFormat: EngineResponseFormat;
  /** At most this many tokens are produced; the engine has a ceiling of its own. */
  readonly maxTokens?: number;
  /** The text ends before the first of these. */
  readonly stop: readonly string[];
  /** Taken into the seed of the answer, like every sampling setting: another value, another answer. */
  readonly sampling: JsonObject;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls';

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** One token of the answer, in the order it is produced. */
export type EngineEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly kind: 'arguments'; readonly index: number; readonly fragment: string };

/** A whole answer, before it is paced. */
export interface Generation {
  readonly events: readonly EngineEvent[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}
