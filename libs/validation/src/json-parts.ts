const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Beyond it, the end of a text is searched for, which takes next to nothing a character, but a price for each quote that is escaped. */
const NEAR_CHARS = 32;

/** How much a JSON document may hold. */
interface JsonBounds {
  parts: number;
  depth?: number;
}

/**
 * Counts what makes a JSON document dear to parse, which is not its bytes: the values in it and the names of its fields, whatever their size; an
 * empty list or object counts twice. Nothing is kept of it, and whether the text is JSON at all is not looked at.
 * @returns Infinity as soon as the document is beyond its bounds
 */
export function jsonPartsOf(text: string, { parts: most, depth: deepest = Infinity }: JsonBounds): number {
  let parts = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > deepest) return Infinity;
        parts++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x2c: // ,
      case 0x3a: // :
        parts++;
        break;
    }
    if (parts > most) return Infinity;
  }
  return parts;
}

/** @returns where the string of a JSON document that begins there ends, by its quotes; the text's length when it does not */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    for (const near = at + NEAR_CHARS; at < near; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at;
      if (code === BACKSLASH) at++;
    }
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    if (!isEscaped(text, at)) return at;
    at++;
  }
  return text.length;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
