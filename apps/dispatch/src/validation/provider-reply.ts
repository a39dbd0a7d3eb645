import type { ReasoningField } from '@svc/contracts';
import { isJsonObject } from '@svc/validation';
import { parseBounded } from './bounded-json';
import { InvalidReplyError } from './invalid-reply.error';
import type { ClaimedUsage } from './whole-reply';

/** A provider's JSON, of which nothing is believed: every field is looked at before use. */
export type Unchecked = Record<string, unknown>;

/** More tokens than any model has; also what the ledger takes. */
const MAX_TOKENS = 1_000_000_000;

/** @throws InvalidReplyError when the text is no JSON object, or one that is too much to read */
export function parseObject(text: string): Unchecked {
  const value = parseJson(text);
  if (value === undefined) throw new InvalidReplyError('not_json');
  if (!isJsonObject(value)) throw new InvalidReplyError('shape');
  return value;
}

/**
 * @returns undefined for what is no JSON
 * @throws InvalidReplyError too_complex
 */
export function parseJson(text: string): unknown {
  try {
    return parseBounded(text);
  } catch (error) {
    if (InvalidReplyError.is(error)) throw error;
    return undefined;
  }
}

/**
 * A text field that may be absent or null.
 * @throws InvalidReplyError when it is something else
 */
export function optionalText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new InvalidReplyError('shape');
  return value;
}

/** What a message or a delta says in words. */
interface Words {
  content: string | undefined;
  /** What the model thought before it answered. */
  reasoning: string | undefined;
  /** The field in which that stands; undefined for parts of the content. */
  reasoningField: ReasoningField | undefined;
}

/**
 * Thoughts stand under `reasoning_content`, or `reasoning` as vLLM (from 0.11 on) and Ollama call it; servers that write both write the
 * same twice, and read the newer name. Under the second name others write what is no text, which is passed over. Mistral's write the
 * content of models that think, or name their sources, as a list: parts of text, references, and thoughts, which are parts of text again.
 * @throws InvalidReplyError when what stands there is something else
 */
export function wordsOf({ content, reasoning_content: named, reasoning }: Unchecked): Words {
  const newer = typeof reasoning === 'string' ? reasoning : undefined;
  const stated = optionalText(named) || newer;
  const reasoningField = newer ? 'reasoning' : stated ? 'reasoning_content' : undefined;
  if (!Array.isArray(content)) return { content: optionalText(content), reasoning: stated, reasoningField };
  const isThought = (part: unknown) => isJsonObject(part) && part.type === 'thinking';
  const thoughts = (content as Unchecked[]).filter(isThought).map(({ thinking }) => joined(thinking));
  return {
    content: joined(content.filter((part) => !isThought(part))),
    reasoning: stated || thoughts.join(''),
    reasoningField,
  };
}

/** @param parts of text */
function joined(parts: unknown): string {
  if (!Array.isArray(parts)) throw new InvalidReplyError('shape');
  const texts = (parts as unknown[]).map(textOf);
  if (!texts.every((text) => typeof text === 'string')) throw new InvalidReplyError('shape');
  return texts.join('');
}

/** What a part says; a reference to a source may stand there without words. */
function textOf(part: unknown): unknown {
  if (!isJsonObject(part)) return undefined;
  if (part.type === 'reference') return part.text ?? '';
  return part.type === 'text' ? part.text : undefined;
}

/**
 * No prompt has no tokens: LocalAI and other servers that did not count say 0 of everything.
 * @returns undefined for anything that is no usage: then the marketplace counts
 */
export function usageOf(value: unknown): ClaimedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = value;
  if (!isTokenCount(promptTokens) || !isTokenCount(completionTokens)) return undefined;
  if (promptTokens === 0 && completionTokens === 0) return undefined;
  return { promptTokens, completionTokens };
}

function isTokenCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
}

/** Messages are an assistant's; some servers leave the role out of all chunks but the first, or send it empty. */
export function checkRole(role: unknown): void {
  if (role !== undefined && role !== null && role !== '' && role !== 'assistant') {
    throw new InvalidReplyError('shape');
  }
}
