/**
 * The demo engine's tokenizer, the one measure behind its speed, `max_tokens` and usage:
 * - a word, a number or a run of punctuation begins a token and takes one space before it with it;
 *   other white space stands alone;
 * - no token is longer than 6 bytes of UTF-8, so a longer run is cut every 6 bytes, between code points.
 * English prose comes to about 4 characters a token. Joining a text's tokens gives the text back.
 */
const RUN = / ?[\p{L}\p{M}\p{N}]+| ?[^\p{L}\p{M}\p{N}\s]+|\s+?(?= \S|\S|$)/gu;
const MAX_TOKEN_BYTES = 6;

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** Calls `visit` with the borders of each token, in UTF-16 units. */
function eachToken(text: string, visit: (start: number, end: number) => void): void {
  for (const run of text.matchAll(RUN)) {
    const runEnd = run.index + run[0].length;
    let start = run.index;
    let bytes = 0;
    for (let at = start; at < runEnd;) {
      const codePoint = text.codePointAt(at) ?? 0;
      const width = utf8Length(codePoint);
      if (bytes + width > MAX_TOKEN_BYTES) {
        visit(start, at);
        start = at;
        bytes = 0;
      }
      bytes += width;
      at += codePoint > 0xffff ? 2 : 1;
    }
    visit(start, runEnd);
  }
}

/** The text's tokens, in order. */
export function tokenize(text: string): string[] {
  const tokens: string[] = [];
  eachToken(text, (start, end) => tokens.push(text.slice(start, end)));
  return tokens;
}

/** How many tokens `tokenize` would return, without making them. */
export function countTokens(text: string): number {
  let count = 0;
  eachToken(text, () => count++);
  return count;
}
