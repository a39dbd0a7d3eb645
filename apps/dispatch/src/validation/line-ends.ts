/**
 * Unicode's line ends. JSON has them as they are, and to server-sent events they end no line; but readers that take a stream apart with Python's
 * `splitlines` (httpx's `iter_lines`), Java's `Scanner` or Node's `readline` end a line there, in the middle of an event.
 */
const LINE_ENDS = /[\u0085\u2028\u2029]/;
export const EVERY_LINE_END = new RegExp(LINE_ENDS, 'g');

/** @param json in which a line end is a part of a string */
export function onOneLine(json: string): string {
  if (!LINE_ENDS.test(json)) return json;
  return json.replace(EVERY_LINE_END, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
