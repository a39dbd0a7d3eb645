import type { DescribedApi, Schema } from './described-api';

/** Values that most fields are not. */
const OTHERS = [null, 1, 1.5, 'x', true, [], {}, [null], ''];
const LONGEST_LIST = 200;

/** A body that is not quite the one it was made of, and how. */
export interface Variant {
  how: string;
  body: unknown;
}

/** Bodies that differ from a good one in one place each: of another type, at a bound and beyond, missing, unknown. */
export function* nearValid(
  api: DescribedApi,
  schema: Schema,
  value: unknown,
  at = 'body',
): Generator<Variant> {
  for (const other of OTHERS) yield { how: `${at} = ${JSON.stringify(other)}`, body: other };
  const whole = api.resolve(schema);
  for (const form of (whole.oneOf ?? [whole]).map((each) => api.resolve(each))) {
    yield* atBounds(form, at);
    yield* withLists(api, form, value, at);
    yield* withFields(api, form, value, at);
  }
}

function* atBounds(
  { minimum, maximum, minLength, maxLength, enum: words }: Schema,
  at: string,
): Generator<Variant> {
  const numbers = [
    ...(minimum === undefined ? [] : [minimum, minimum - 1, minimum - 0.5]),
    ...(maximum === undefined ? [] : [maximum, maximum + 1, maximum + 0.5]),
  ];
  for (const body of numbers) yield { how: `${at} = ${body}`, body };
  const lengths = [
    ...(minLength === undefined ? [] : [minLength, minLength - 1]),
    ...(maxLength === undefined ? [] : [maxLength, maxLength + 1]),
  ];
  for (const length of lengths.filter((each) => each >= 0)) {
    yield { how: `${at} of ${length} characters`, body: 'm'.repeat(length) };
    yield { how: `${at} of ${length} astral characters`, body: '😀'.repeat(length) };
    yield {
      how: `${at} of ${2 * length} characters that look like half as many`,
      body: 'm\ufe0f'.repeat(length),
    };
  }
  if (!words) return;
  for (const word of [...words, 'neither', String(words[0]).toUpperCase()]) {
    yield { how: `${at} = ${JSON.stringify(word)}`, body: word };
  }
}

function* withLists(
  api: DescribedApi,
  { items, maxItems }: Schema,
  value: unknown,
  at: string,
): Generator<Variant> {
  if (!items || !Array.isArray(value) || value.length === 0) return;
  const [first, ...rest] = value as unknown[];
  for (const { how, body } of nearValid(api, items, first, `${at}[0]`)) yield { how, body: [body, ...rest] };
  if (maxItems === undefined || maxItems > LONGEST_LIST) return;
  for (const length of [maxItems, maxItems + 1]) {
    yield { how: `${at} of ${length} items`, body: Array<unknown>(length).fill(first) };
  }
}

function* withFields(
  api: DescribedApi,
  { properties }: Schema,
  value: unknown,
  at: string,
): Generator<Variant> {
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, field] of Object.entries(properties)) {
    const { [name]: current, ...rest } = value as Record<string, unknown>;
    if (name in value) yield { how: `${at} without ${name}`, body: rest };
    for (const { how, body } of nearValid(api, field, current, `${at}.${name}`)) {
      yield { how, body: { ...value, [name]: body } };
    }
  }
  for (const name of ['surprise', 'constructor']) {
    yield { how: `${at} with ${name}`, body: { ...value, [name]: 1 } };
  }
}
