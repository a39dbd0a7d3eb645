import { InvalidReplyError } from './invalid-reply.error';

/** Half of a surrogate pair without its other half. */
const HALF_CHARACTER = /\p{Surrogate}/u;

/**
 * A text that was written as JSON may hold half a character (`"\ud83d"`), which no UTF-8 can and official clients choke on.
 * @throws InvalidReplyError not_utf8
 */
export function wholeCharacters<Text extends string | undefined>(text: Text): Text {
  if (text !== undefined && HALF_CHARACTER.test(text)) throw new InvalidReplyError('not_utf8');
  return text;
}

/** Joins characters whose halves come in two chunks, as some servers cut them. */
export class CharacterJoiner {
  private half = '';

  /**
   * @returns what can be passed on of the text so far
   * @throws InvalidReplyError not_utf8 for a half whose other half did not follow
   */
  take(text: string): string {
    const all = this.half + text;
    this.half = endsInHalf(all) ? all.slice(-1) : '';
    return wholeCharacters(this.half === '' ? all : all.slice(0, -1));
  }

  /** There is no more to come. @throws InvalidReplyError not_utf8 */
  end(): void {
    wholeCharacters(this.half);
  }
}

function endsInHalf(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}
