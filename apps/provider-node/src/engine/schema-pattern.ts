import type { SeededRandom } from './seeded-random';

/**
 * Writes a text that a regular expression matches, for the part of the syntax that JSON Schemas of tools
 * use: literals, classes, `\d \w \s`, groups, alternatives, quantifiers, anchors at the ends.
 * @returns undefined for the rest (look-around, back-references, property escapes, `\b`)
 */
export function textMatching(pattern: string, random: SeededRandom): string | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  const writer = new PatternWriter(pattern, random);
  try {
    const text = writer.alternatives(0);
    return writer.atEnd ? text : undefined;
  } catch (error) {
    if (error instanceof NotWritable) return undefined;
    throw error;
  }
}

const MAX_PATTERN = 512;
const MAX_REPEATS = 256;
const MAX_GROUPS = 32;
const MAX_ATOMS = 4_096;
const ESCAPED_CLASSES: Readonly<Record<string, string>> = {
  d: '0123456789',
  w: 'abcdefghijklmnopqrstuvwxyz',
  s: ' ',
};
const PRINTABLE = Array.from({ length: 95 }, (_, offset) => String.fromCharCode(32 + offset));

class NotWritable extends Error {}

/** Reads the pattern and writes the text in one pass. */
class PatternWriter {
  private at = 0;
  private atoms = 0;

  constructor(
    private readonly pattern: string,
    private readonly random: SeededRandom,
  ) {}

  get atEnd(): boolean {
    return this.at === this.pattern.length;
  }

  alternatives(depth: number): string {
    if (depth > MAX_GROUPS) throw new NotWritable();
    const branches = [this.sequence(depth)];
    while (this.take('|')) branches.push(this.sequence(depth));
    return this.random.pick(branches);
  }

  private get atSequenceEnd(): boolean {
    return this.atEnd || this.pattern[this.at] === '|' || this.pattern[this.at] === ')';
  }

  private sequence(depth: number): string {
    let text = '';
    this.take('^');
    while (!this.atSequenceEnd) {
      if (this.take('$')) {
        if (!this.atSequenceEnd) throw new NotWritable();
        break;
      }
      text += this.repeated(depth);
    }
    return text;
  }

  private repeated(depth: number): string {
    const start = this.at;
    const first = this.atom(depth);
    const count = this.repeats();
    const end = this.at;
    let text = count > 0 ? first : '';
    // Each repetition reads the atom again, so that "[a-z]{3}" is not one letter three times.
    for (let repeat = 1; repeat < count; repeat++) {
      this.at = start;
      text += this.atom(depth);
    }
    this.at = end;
    return text;
  }

  private atom(depth: number): string {
    if (++this.atoms > MAX_ATOMS) throw new NotWritable();
    if (this.take('(')) {
      if (this.take('?') && !this.take(':')) throw new NotWritable();
      const text = this.alternatives(depth + 1);
      if (!this.take(')')) throw new NotWritable();
      return text;
    }
    if (this.take('[')) return this.random.pick(this.characterClass());
    if (this.take('.')) return 'a';
    if (this.take('\\')) return this.random.pick([...this.escaped()]);
    const literal = this.read();
    if ('*+?{^'.includes(literal)) throw new NotWritable();
    return literal;
  }

  /** The characters that the escape after a backslash stands for. */
  private escaped(): string {
    const letter = this.read();
    const known = ESCAPED_CLASSES[letter];
    if (known !== undefined) return known;
    if (/[a-zA-Z0-9]/.test(letter)) throw new NotWritable();
    return letter;
  }

  private characterClass(): string[] {
    const negated = this.take('^');
    const members: string[] = [];
    while (!this.take(']')) {
      const first = this.classMember();
      const isRange =
        first.length === 1 &&
        this.pattern[this.at] === '-' &&
        this.pattern[this.at + 1] !== ']' &&
        this.take('-');
      members.push(...(isRange ? charactersBetween(first, this.classMember()) : first));
    }
    const characters = negated ? PRINTABLE.filter((character) => !members.includes(character)) : members;
    if (characters.length === 0) throw new NotWritable();
    return characters;
  }

  private classMember(): string {
    return this.take('\\') ? this.escaped() : this.read();
  }

  private repeats(): number {
    const count = this.quantifier();
    this.take('?');
    return count;
  }

  private quantifier(): number {
    if (this.take('?')) return this.random.integer(0, 1);
    if (this.take('*')) return this.random.integer(0, 3);
    if (this.take('+')) return this.random.integer(1, 4);
    const braces = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.pattern.slice(this.at, this.at + 12));
    if (!braces) return 1;
    this.at += braces[0].length;
    const low = Number(braces[1]);
    const high = braces[3] ? Math.min(Number(braces[3]), low + 3) : low;
    if (low > MAX_REPEATS || high < low) throw new NotWritable();
    return this.random.integer(low, high);
  }

  private read(): string {
    const codePoint = this.pattern.codePointAt(this.at);
    if (codePoint === undefined) throw new NotWritable();
    const character = String.fromCodePoint(codePoint);
    this.at += character.length;
    return character;
  }

  private take(character: string): boolean {
    if (this.pattern[this.at] !== character) return false;
    this.at++;
    return true;
  }
}

function charactersBetween(first: string, last: string): string[] {
  const low = first.charCodeAt(0);
  const high = Math.min(last.charCodeAt(0), low + 255);
  return Array.from({ length: Math.max(0, high - low + 1) }, (_, offset) =>
    String.fromCharCode(low + offset),
  );
}
