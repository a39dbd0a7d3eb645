const SAMPLING = { temperature: 0, seed: 7 };

/** A body with one message of the user's, to be answered as predictably as can be. */
export function userSays(content: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { messages: [{ role: 'user', content }], ...SAMPLING, ...fields };
}

/** For what ends by itself: enough for a model that thinks before it answers. */
export const ROOM_TO_ANSWER = 1_024;

/** Common English words: of one token each, or two, in the tokenizers of today's models. */
const WORDS = (
  'river table window garden paper simple morning music winter market letter number kitchen summer bridge yellow ' +
  'animal forest silver travel doctor school orange picture island evening mountain family corner farmer bottle ' +
  'season basket candle dinner engine flower ground hammer insect jacket ladder memory needle office pencil rabbit ' +
  'saddle tunnel valley wagon anchor butter copper desert eagle fabric guitar harbor idea jungle'
).split(' ');

/** So many common words, separated by spaces; beginning again after the last. */
export function commonWords(count: number): string {
  return Array.from({ length: count }, (_, index) => WORDS[(index * 7) % WORDS.length]).join(' ');
}

/** A text of common words of exactly so many characters, all ASCII. */
export function textOfLength(length: number): string {
  const text = commonWords(Math.ceil(length / 5)).slice(0, length);
  // A space at the end is what a copyist leaves out.
  return text.endsWith(' ') ? `${text.slice(0, -1)}.` : text;
}
