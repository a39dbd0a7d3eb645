import type { FinishReason, ReasoningField } from '@svc/contracts';

/** A tool call that was checked; the id is the marketplace's own. */
export interface ToolCall {
  id: string;
  /** The provider's own; empty where it gave none. */
  providerId: string;
  name: string;
  /** A JSON object document. */
  arguments: string;
  /** What the provider put beside it, for itself: Gemini's sealed thoughts. */
  extraContent?: object;
}

/**
 * What a reply that may be delivered leaves to be wished, so that somebody else is asked first where one is left:
 * - `wordless`: it says nothing at all, and by nobody's wish;
 * - `filtered`: a filter is said to have left nothing of it, or to have cut short what could be whole only.
 */
export type ReplyLack = 'wordless' | 'filtered';

/** What a provider says it used; whole numbers, believed no further. */
export interface ClaimedUsage {
  promptTokens: number;
  completionTokens: number;
}

/**
 * A reply that is complete and valid. Of a reply that was passed on as it came, the texts are what has not been passed
 * on yet.
 */
export interface WholeReply {
  finishReason: FinishReason;
  content: string | null;
  refusal?: string;
  reasoning?: string;
  /** The field in which the provider writes that, or what it keeps of it. */
  reasoningField?: ReasoningField;
  toolCalls: ToolCall[];
  usage?: ClaimedUsage;
  /** UTF-8 bytes of everything the model wrote: texts, names and arguments of calls. */
  outputBytes: number;
  /** Of these, those of calls beyond the one that was wanted, which nobody gets. */
  unwantedBytes: number;
  /** Of these, those of what nobody sees, as `UnseenText` counts it; calls that are not wanted apart. */
  unseenBytes: number;
  lack?: ReplyLack;
}

/** UTF-8 bytes of a reply that are to be seen. */
export function seenBytes({
  outputBytes,
  unseenBytes,
}: Pick<WholeReply, 'outputBytes' | 'unseenBytes'>): number {
  return outputBytes - unseenBytes;
}
