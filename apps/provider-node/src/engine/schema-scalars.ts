import type { JsonObject } from './engine-request';
import { numberAt } from './schema-keywords';
import { textMatching } from './schema-pattern';
import type { WordSupply } from './word-supply';

/** Thrown when the engine cannot write a document for a schema; `path` leads to the place in the schema. */
export class UnsupportedSchemaError extends Error {
  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`The demo engine cannot write a document for this schema: ${path || 'its root'} ${reason}.`);
    this.name = 'UnsupportedSchemaError';
  }
}

const MAX_STRING = 1_048_576;

/** Values of the formats of JSON Schema's validation vocabulary (2020-12, section 7.3). */
const FORMATS: Readonly<Record<string, (words: WordSupply) => string>> = {
  'date-time': (words) => `2025-0${words.random.integer(1, 9)}-1${words.random.integer(0, 9)}T12:00:00Z`,
  date: (words) => `2025-0${words.random.integer(1, 9)}-1${words.random.integer(0, 9)}`,
  time: (words) => `1${words.random.integer(0, 9)}:30:00Z`,
  duration: (words) => `PT${words.random.integer(1, 59)}M`,
  email: (words) => `${slug(words.word())}@example.com`,
  hostname: (words) => `${slug(words.word())}.example.com`,
  ipv4: (words) => `192.0.2.${words.random.integer(1, 254)}`,
  ipv6: (words) => `2001:db8::${words.random.integer(1, 9)}`,
  uri: (words) => `https://example.com/${slug(words.word())}`,
  url: (words) => `https://example.com/${slug(words.word())}`,
  'uri-reference': (words) => `/${slug(words.word())}`,
  uuid: ({ random }) =>
    `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-8${random.hex(3)}-${random.hex(12)}`,
};

function slug(word: string): string {
  const ascii = word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return ascii.slice(0, 40).replace(/-+$/, '') || 'example';
}

/** What a string of that name most likely holds. */
function stringNamed(name: string, words: WordSupply): string {
  if (/(?:query|question|prompt|text|message|content|body|description|summary|answer)$/i.test(name))
    return words.prompt;
  if (/e-?mail/i.test(name)) return `${slug(words.word())}@example.com`;
  if (/(?:^|_)ur[il]$|Ur[il]$/.test(name)) return `https://example.com/${slug(words.word())}`;
  if (/(?:^|_)date$|Date$/.test(name)) return '2025-01-15';
  return words.word();
}

/**
 * A string that satisfies `format`, `pattern`, `minLength` and `maxLength`.
 * @param name the property it stands in, a hint at its meaning
 */
export function writeString(schema: JsonObject, name: string, words: WordSupply, path: string): string {
  const shortest = numberAt(schema, 'minLength') ?? 0;
  const longest = numberAt(schema, 'maxLength') ?? MAX_STRING;
  if (shortest > longest || shortest > MAX_STRING)
    throw new UnsupportedSchemaError(path, 'asks for an impossible length');
  const fixed = fixedString(schema, words, path);
  if (fixed === undefined) {
    const text = stringNamed(name, words);
    const length = [...text].length;
    if (length > longest) return [...text].slice(0, longest).join('');
    return length < shortest ? words.wordsOfLength(shortest) : text;
  }
  if (fixed.length < shortest || fixed.length > longest) {
    throw new UnsupportedSchemaError(path, 'asks for a length that its format or pattern does not have');
  }
  return fixed;
}

function fixedString(schema: JsonObject, words: WordSupply, path: string): string | undefined {
  if (typeof schema.pattern === 'string') {
    const text = textMatching(schema.pattern, words.random);
    if (text === undefined) throw new UnsupportedSchemaError(path, 'has a pattern beyond the simple ones');
    return text;
  }
  return typeof schema.format === 'string' ? FORMATS[schema.format]?.(words) : undefined;
}

/**
 * A number within `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` that `multipleOf` divides:
 * one of the prompt's if one fits.
 */
export function writeNumber(schema: JsonObject, words: WordSupply, path: string): number {
  const whole = schema.type === 'integer';
  const multiple = numberAt(schema, 'multipleOf');
  const step = multiple ?? (whole ? 1 : 0.1);
  const low = numberAt(schema, 'minimum') ?? -Infinity;
  const high = numberAt(schema, 'maximum') ?? Infinity;
  const above = numberAt(schema, 'exclusiveMinimum') ?? -Infinity;
  const below = numberAt(schema, 'exclusiveMaximum') ?? Infinity;
  const fits = (value: number) =>
    value >= low &&
    value <= high &&
    value > above &&
    value < below &&
    (!whole || Number.isInteger(value)) &&
    (multiple === undefined || Number.isInteger(value / multiple));
  const found = words.number(fits);
  if (found !== undefined) return found;
  for (const candidate of candidates(Math.max(low, above), Math.min(high, below), step, words)) {
    if (fits(candidate)) return candidate;
  }
  throw new UnsupportedSchemaError(path, 'leaves no number to choose');
}

/** Numbers near the lower border first, or near zero where there is none, on the grid of `step`. */
function* candidates(low: number, high: number, step: number, words: WordSupply): Generator<number> {
  const onGrid = (steps: number) => Number((steps * step).toPrecision(15));
  const wish = words.random.integer(1, 20);
  yield onGrid(Math.ceil((Number.isFinite(low) ? Math.max(low, 0) : 0) / step) + wish);
  const start = Number.isFinite(low)
    ? Math.ceil(low / step)
    : Number.isFinite(high)
      ? Math.floor(high / step) - 1
      : 0;
  for (let steps = 0; steps <= 2; steps++) yield onGrid(start + steps);
  if (Number.isFinite(low) && Number.isFinite(high)) yield (low + high) / 2;
  if (Number.isFinite(low)) yield low;
}
