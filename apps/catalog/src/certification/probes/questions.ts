import type { Draw } from './draw';
import type { ProbeTerms } from './probe';

/** A body with one message of the user's. */
export function userSays(content: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { messages: [{ role: 'user', content }], ...fields };
}

/** For what ends by itself. */
export const ROOM_TO_ANSWER = 1_024;

const ROOM_TO_THINK = 4_096;

/** Tokens that a model may need before it answers. */
export function roomToThink({ reasoning }: Pick<ProbeTerms, 'reasoning'>): number {
  return reasoning ? ROOM_TO_THINK : 0;
}

/** Common English words, short ones: a token each, or hardly more, in the tokenizers of today's models. */
const WORDS = (
  'river table house water paper night music light green north south bread horse stone wheel white train chair apple ' +
  'field heart ocean plant grass metal sugar radio clock smile dream sound voice money story beach cloud earth glass ' +
  'plate shirt knife brush snow rain fire door road tree bird fish ship moon star gold milk'
).split(' ');

/** `count` common words, separated by spaces; beginning again after the last. */
export function commonWords(count: number): string {
  return Array.from({ length: count }, (_, index) => WORDS[(index * 7) % WORDS.length]).join(' ');
}

/** `count` common words, none twice before all have come. */
export function drawWords(draw: Draw, count: number): string[] {
  const words: string[] = [];
  while (words.length < count) words.push(...draw.of(WORDS, count - words.length));
  return words;
}

/** A text of common words of exactly `length` characters, all ASCII. */
export function textOfLength(length: number): string {
  const text = commonWords(Math.ceil(length / 5)).slice(0, length);
  // A space at the end is what a copyist leaves out.
  return text.endsWith(' ') ? `${text.slice(0, -1)}.` : text;
}
