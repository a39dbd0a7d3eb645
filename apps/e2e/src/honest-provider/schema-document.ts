type Schema = Record<string, unknown>;

/** Where words for a document come from. */
interface Words {
  /** The one thing the document is about. */
  subject: string;
}

/** A value that meets a JSON Schema of the kinds that requests for tools and formats use. */
export function documentOf(schema: object, words: Words, root: object = schema): unknown {
  const given = schema as Schema;
  if (typeof given.$ref === 'string') return documentOf(referenced(root, given.$ref), words, root);
  if ('const' in given) return given.const;
  if (Array.isArray(given.enum)) return mentionedOf(given.enum, words);
  const branches = given.anyOf ?? given.oneOf;
  if (Array.isArray(branches)) return documentOf(branches[0] as object, words, root);
  const type: unknown = Array.isArray(given.type) ? (given.type as unknown[])[0] : given.type;
  switch (type) {
    case 'string':
      return stringOf(given, words);
    case 'integer':
    case 'number':
      return numberOf(given, words);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return arrayOf(given, words, root);
    default:
      return objectOf(given, words, root);
  }
}

function referenced(root: object, reference: string): object {
  let found: unknown = root;
  for (const step of reference.split('/').slice(1)) found = (found as Schema)[step];
  return found as object;
}

function mentionedOf(values: unknown[], { subject }: Words): unknown {
  const mentioned = values.find((value) => typeof value === 'string' && subject.includes(value));
  return mentioned ?? values[0];
}

function stringOf({ minLength = 0, maxLength = Infinity }: Schema, { subject }: Words): string {
  const least = minLength as number;
  const text = subject.length >= least ? subject : subject + 'x'.repeat(least - subject.length);
  return text.slice(0, maxLength as number);
}

function numberOf({ minimum, exclusiveMinimum, maximum }: Schema, { subject }: Words): number {
  const said = Number(/\d+/.exec(subject)?.[0] ?? 1);
  const least = Number(
    minimum ?? (exclusiveMinimum === undefined ? -Infinity : Number(exclusiveMinimum) + 1),
  );
  return Math.min(Math.max(said, least), Number(maximum ?? Infinity));
}

function arrayOf({ items = {}, minItems = 1 }: Schema, words: Words, root: object): unknown[] {
  return Array.from({ length: Number(minItems) }, () => documentOf(items as object, words, root));
}

function objectOf({ properties = {} }: Schema, words: Words, root: object): object {
  const fields = Object.entries(properties as Record<string, object>);
  return Object.fromEntries(fields.map(([name, field]) => [name, documentOf(field, words, root)]));
}
