/** Blanks of one run that are taken to mean something: an indentation, a gap in a table. Tokenizers take many of them as one. */
const MEANT_BLANKS = 16;
/** Beside ASCII: what is drawn as a blank, and what is drawn as nothing at all. */
const BLANKS = String.raw`\p{White_Space}\u2800`;
const NOTHINGS = String.raw`\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u{1d159}`;
const BLANK = new RegExp(`[${BLANKS}]`, 'u');
const NOTHING = new RegExp(`[${NOTHINGS}]`, 'u');
const SEEN = new RegExp(`[^${BLANKS}${NOTHINGS}]`, 'u');
const SPACE = 0x20;
const DELETE = 0x7f;
const LAST_OF_UTF16_UNIT = 0xffff;

/**
 * Counts what nobody sees of a text that comes in pieces: characters without a shape (zero-width spaces, say), and blanks of a long run.
 * A server can put any number of them behind what its model wrote, where no reader would notice. Those that mean something (joined emoji,
 * Persian) stand between others, whose bytes are more than all of them have tokens.
 */
export class UnseenText {
  private blanks = 0;
  private unseen = 0;

  /** UTF-8. */
  get bytes(): number {
    return this.unseen;
  }

  take(piece: string): void {
    // By numbers: this is done for every piece of every stream.
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (code <= SPACE) this.takeBlank(1);
      else if (code < DELETE || isOfCommonScript(code)) this.blanks = 0;
      else if (this.takeOdd(piece.codePointAt(at) ?? code)) at++;
    }
  }

  private takeBlank(bytes: number): void {
    if (++this.blanks > MEANT_BLANKS) this.unseen += bytes;
  }

  /** @returns whether it takes two units of a string */
  private takeOdd(codePoint: number): boolean {
    const character = String.fromCodePoint(codePoint);
    if (NOTHING.test(character)) this.unseen += Buffer.byteLength(character);
    else if (BLANK.test(character)) this.takeBlank(Buffer.byteLength(character));
    else this.blanks = 0;
    return codePoint > LAST_OF_UTF16_UNIT;
  }
}

/** Latin, Greek, Cyrillic, Hebrew; Japanese, Chinese and Korean: ranges without anything that is not drawn. */
function isOfCommonScript(code: number): boolean {
  return (
    (code >= 0xc0 && code < 0x34f) ||
    (code >= 0x370 && code < 0x61c) ||
    (code >= 0x3040 && code < 0x3164) ||
    (code > 0x3164 && code < 0xd800)
  );
}

/** Whether a text has anything to be seen. */
export function isSeen(text: string | undefined): boolean {
  return text !== undefined && SEEN.test(text);
}

/** UTF-8 bytes of what nobody sees of a whole text. */
export function unseenBytes(text: string | undefined): number {
  if (text === undefined) return 0;
  const unseen = new UnseenText();
  unseen.take(text);
  return unseen.bytes;
}
