import { jsonPartsOf } from '@svc/validation';
import { InvalidReplyError } from './invalid-reply.error';

/**
 * Parsing takes as long as there are values and names, not bytes: 8 MiB of small objects keep a process busy for seconds, this many
 * for less than a tenth of one. A reply's text and a call's arguments are one value each, whatever their size.
 */
const BOUNDS = { parts: 64 * 1024, depth: 256 };
/** Shorter documents cannot exceed any of it by much, and are nearly all there are. */
const WORTH_COUNTING_CHARS = 4 * 1024;

/**
 * `JSON.parse` for what a provider wrote.
 * @throws SyntaxError
 * @throws InvalidReplyError too_complex
 */
export function parseBounded(text: string): unknown {
  if (text.length > WORTH_COUNTING_CHARS && jsonPartsOf(text, BOUNDS) === Infinity) {
    throw new InvalidReplyError('too_complex');
  }
  return JSON.parse(text);
}
