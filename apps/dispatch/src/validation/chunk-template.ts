import { isJsonObject } from '@svc/validation';
import { ownText } from '../provider-client/own-text';
import type { Unchecked } from './provider-reply';

/** Lessons from one stream: servers that change every chunk would cost more to learn than to parse. */
const MAX_LESSONS = 4;
/** Stands for the content while a template is tried out. */
const PROBE = 'svc-probe';

/**
 * Recognises the chunks of a stream that are like an earlier one in everything but the text. Most of a stream is such
 * chunks, and parsing them is most of what a stream costs. A template is the JSON around one string value of a chunk that was
 * parsed; a later chunk that begins and ends alike, and has nothing between that could end the string, is the same
 * JSON with another text.
 */
export class ChunkTemplate {
  private before = '';
  private after = '';
  private lessons = 0;

  /** @returns the text of the delta's content, as it stands between the quotes; undefined when the chunk must be parsed */
  contentIn(data: string): string | undefined {
    const { before, after } = this;
    if (before === '' || data.length <= before.length + after.length) return undefined;
    const end = data.length - after.length;
    // Parts compared whole: V8 (Node 20 to 24) compiles `startsWith` to a walk by characters, each looked up anew in the text it is part of.
    if (data.slice(0, before.length) !== before || data.slice(end) !== after) return undefined;
    const text = data.slice(before.length, end);
    return isPlain(text) ? text : undefined;
  }

  /**
   * @param data a chunk that was parsed, checked, and found to hold a text and nothing else
   * @param content that text
   */
  learn(data: string, content: string): void {
    if (this.lessons >= MAX_LESSONS || !isPlain(content)) return;
    this.lessons++;
    const key = data.indexOf('"content"');
    const colon = data.indexOf(':', key + 9);
    const quote = data.indexOf('"', colon);
    const before = data.slice(0, quote + 1);
    const after = data.slice(quote + 1 + content.length);
    if (before + content + after !== data) return;
    // It may stand elsewhere, too, or in no field of that name; what the provider means by this one shows when another stands in its place.
    if (contentOf(before + PROBE + after) !== PROBE) return;
    this.before = ownText(before);
    this.after = ownText(after);
  }
}

/** Quotes, backslashes and control characters mean something inside a JSON string; all else stands for itself. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22 || code === 0x5c || code < 0x20) return false;
  }
  return true;
}

function contentOf(json: string): unknown {
  let chunk: unknown;
  try {
    chunk = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isJsonObject(chunk) || !Array.isArray(chunk.choices)) return undefined;
  const [choice] = chunk.choices as unknown[];
  if (!isJsonObject(choice) || !isJsonObject(choice.delta)) return undefined;
  return choice.delta.content;
}

/** Whether a choice that says no end holds a text delta and nothing else of meaning, so that its chunk may teach a template. */
export function isTextOnly(chunk: Unchecked, choice: Unchecked, delta: Unchecked): boolean {
  return (
    isNothing(chunk.usage) &&
    isNothing(choice.logprobs) &&
    isNothing(delta.tool_calls) &&
    isNothing(delta.refusal) &&
    isNothing(delta.reasoning_content) &&
    isNothing(delta.reasoning)
  );
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
