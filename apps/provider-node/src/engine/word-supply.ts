import { wordsOf } from './prompt-reading';
import type { PromptReading } from './prompt-reading';
import type { SeededRandom } from './seeded-random';

/** Gives the strings and numbers of generated documents: those of the prompt first, then invented ones. */
export class WordSupply {
  private readonly words: readonly string[];
  private readonly prompted: string;
  private nextWord = 0;
  private nextNumber = 0;

  /** @param focus what this document is about, given first: one of several things the prompt names */
  constructor(
    private readonly reading: PromptReading,
    readonly random: SeededRandom,
    focus?: string,
  ) {
    const own = [...reading.quoted, ...reading.names, ...reading.keywords].filter((word) => word !== focus);
    this.prompted = ` ${wordsOf(reading.text.toLowerCase()).join(' ')} `;
    this.words = focus === undefined ? own : [focus, ...own];
  }

  /** The prompt itself, at most 200 characters of it; never empty. */
  get prompt(): string {
    return this.reading.text.slice(0, 200) || 'example';
  }

  /** The next word of the prompt, beginning again after the last; never empty. */
  word(): string {
    const { words } = this;
    return words.length === 0 ? 'example' : (words[this.nextWord++ % words.length] ?? 'example');
  }

  /** Words joined by spaces, cut to exactly `length` code points. */
  wordsOfLength(length: number): string {
    let text = this.word();
    while (text.length < length) text += ` ${this.word()}`;
    const codePoints = [...text].slice(0, length);
    return codePoints.join('') + '.'.repeat(length - codePoints.length);
  }

  /** The next number of the prompt that `fits`, if any is left. */
  number(fits: (candidate: number) => boolean): number | undefined {
    const { numbers } = this.reading;
    while (this.nextNumber < numbers.length) {
      const candidate = numbers[this.nextNumber++];
      if (candidate !== undefined && fits(candidate)) return candidate;
    }
    return undefined;
  }

  /** Whether the prompt contains the text as words of its own, in whatever case. */
  mentions(text: string): boolean {
    const words = wordsOf(text.slice(0, 200).toLowerCase()).join(' ');
    return words !== '' && this.prompted.includes(` ${words} `);
  }
}
