/** V8 (Node 20 to 24) copies shorter slices. */
const LEAST_VIEW_CHARS = 13;

/**
 * The same text by itself. A slice of a text is a view of it in V8, however small: whoever keeps one keeps the whole alive, and what a
 * provider writes around a word may be ten thousand times the word.
 */
export function ownText(text: string): string {
  // The sum is a text of its own, and that is what the slice is a view of.
  return text.length < LEAST_VIEW_CHARS ? text : ` ${text}`.slice(1);
}
