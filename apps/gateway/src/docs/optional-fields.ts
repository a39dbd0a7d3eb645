import type { OpenAPIObject } from '@nestjs/swagger';

/** As much of a JSON Schema as is looked at here. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
}

/**
 * The document with null among what an optional field of a body may be, as it counts as absent (`compileValidator`). What replies are
 * described with besides stays as it is: no reply has a null there.
 */
export function withNullsOf(document: OpenAPIObject): OpenAPIObject {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const namesIn = (part: unknown) => reachable(part, schemas);
  const operations = Object.values(document.paths).flatMap(({ post, patch }) => [post, patch]);
  const replied = namesIn(Object.values(document.paths).map((path) => responsesIn(path)));
  const read = namesIn(operations.map((operation) => operation?.requestBody));
  const changed = [...read].filter((name) => !replied.has(name));
  return {
    ...document,
    components: {
      ...document.components,
      schemas: {
        ...schemas,
        ...Object.fromEntries(changed.map((name) => [name, withNulls(schemas[name] ?? {})])),
      } as NonNullable<OpenAPIObject['components']>['schemas'],
    },
  };
}

function responsesIn(path: object): unknown[] {
  return Object.values(path).map((operation: { responses?: unknown }) => operation.responses);
}

/** The names of the schemas that it refers to, and they in turn. */
function reachable(part: unknown, schemas: Record<string, Schema>, names = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (names.has(name)) continue;
    names.add(name);
    reachable(schemas[name] ?? {}, schemas, names);
  }
  return names;
}

function withNulls(schema: Schema): Schema {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    required.includes(name) ? field : orNull(field),
  ]);
  return { ...schema, properties: Object.fromEntries(fields) as Record<string, Schema> };
}

function orNull(field: Schema): Schema {
  const { type, oneOf, allOf, $ref, ...rest } = field;
  if (typeof type === 'string' && type !== 'null') {
    return { ...rest, type: [type, 'null'], ...(rest.enum && { enum: [...rest.enum, null] }) };
  }
  const forms = $ref === undefined ? (oneOf ?? allOf) : [{ $ref }];
  if (!forms || forms.some((form) => form.type === 'null')) return field;
  return { ...rest, oneOf: [...forms, { type: 'null' }] };
}
