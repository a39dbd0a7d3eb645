import { ownText } from './own-text';

/** How many pieces are joined at a time. */
const JOINED = 512;

/**
 * Text that comes in pieces of any size, one character each at the worst. Adding to a string makes a chain of nodes, many times
 * the size of the text; this stays near that size, and takes time in proportion to it. What pieces were cut from is not kept.
 */
export class GatheredText {
  private few: string[] = [];
  private many: string[] = [];
  private chars = 0;

  get length(): number {
    return this.chars;
  }

  add(text: string): void {
    if (text === '') return;
    this.chars += text.length;
    if (this.few.push(ownText(text)) < JOINED) return;
    this.many.push(this.few.join(''));
    this.few = [];
  }

  /** Everything so far; the pieces are gone. */
  take(): string {
    const text = this.toString();
    this.few = [];
    this.many = [];
    this.chars = 0;
    return text;
  }

  toString(): string {
    if (this.many.length === 0) return this.few.length === 1 ? (this.few[0] ?? '') : this.few.join('');
    return this.many.join('') + this.few.join('');
  }
}
