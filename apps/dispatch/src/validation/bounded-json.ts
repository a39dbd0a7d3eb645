import { InvalidReplyError } from './invalid-reply.error';

/**
 * Values that a document may hold. Parsing takes as long as there are values, not bytes: 8 MiB of small objects keep a process
 * busy for seconds, this many for less than a tenth of one. A reply's text and a call's arguments are one value each, whatever
 * their size.
 */
const MAX_VALUES = 64 * 1024;
const MAX_DEPTH = 256;
/** Shorter documents cannot exceed any of it by much, and are nearly all there are. */
const WORTH_COUNTING_CHARS = 4 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * `JSON.parse` for what a provider wrote.
 * @throws SyntaxError
 * @throws InvalidReplyError too_complex
 */
export function parseBounded(text: string): unknown {
  if (text.length > WORTH_COUNTING_CHARS && !isBounded(text)) throw new InvalidReplyError('too_complex');
  return JSON.parse(text);
}

/** Counts what begins or separates values outside of strings; whether the text is JSON at all is not looked at. */
function isBounded(text: string): boolean {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > MAX_DEPTH) return false;
        values++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x2c: // ,
        values++;
        break;
    }
    if (values > MAX_VALUES) return false;
  }
  return true;
}

/** @returns where the string that begins there ends; the text's length when it does not */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
