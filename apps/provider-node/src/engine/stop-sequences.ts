/**
 * Cuts a text before the first stop sequence in it. The whole text is searched, so a sequence is found
 * wherever the borders of tokens fall.
 * @param stops sequences; empty ones are ignored
 * @returns the text without the sequence and what follows it
 */
export function cutAtStop(text: string, stops: readonly string[]): string {
  const positions = stops
    .filter((stop) => stop !== '')
    .map((stop) => text.indexOf(stop))
    .filter((position) => position >= 0);
  return positions.length === 0 ? text : text.slice(0, Math.min(...positions));
}
