import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@svc/local-servers';
import { Ajv2020 } from 'ajv/dist/2020';

/** As much of a JSON Schema as the document has. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  example?: unknown;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

interface Described {
  headers?: Record<string, { $ref?: string; schema?: Schema }>;
  content?: Record<string, { schema: Schema }>;
}

export interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  /** The scheme that it wants, if any. */
  credential: string | undefined;
  body: Schema | undefined;
  responses: Partial<Record<string, Described>>;
}

/** A reply as far as it is held to the document. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

interface ApiDocument {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema>; headers: Record<string, { schema: Schema }> };
}

interface RawOperation {
  parameters?: Parameter[];
  security?: Record<string, unknown>[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Described>;
}

/** What the document says of any request. */
const OF_ANY_REQUEST = ['400', '405', '408', '414', '431'];
/** Headers that a reply of the kind may have. */
const SOMETIMES = new Set(['x-svc-idempotent-replay']);

/** docs/openapi.json, which is what the gateway serves, and what it says of a reply. */
export class DescribedApi {
  private readonly document = JSON.parse(
    readFileSync(join(workspaceRoot, 'docs/openapi.json'), 'utf8'),
  ) as ApiDocument;
  private readonly asWritten = validatorOf(this.document);
  /** Finds what is sent and not described. */
  private readonly closed = validatorOf(closedSchemas(this.document) as ApiDocument);

  operations(): Operation[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], security, requestBody, responses }]) => ({
        method: method.toUpperCase(),
        path,
        parameters,
        credential: Object.keys(security?.[0] ?? {})[0],
        body: requestBody?.content['application/json']?.schema,
        responses,
      })),
    );
  }

  /** The schema itself, where it is named elsewhere. */
  resolve(schema: Schema): Schema {
    const [named] = schema.allOf ?? [];
    if (named) return this.resolve(named);
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (this.document.components.schemas[name] ?? {});
  }

  allows(schema: Schema, body: unknown): boolean {
    return this.asWritten(schema, body) === undefined;
  }

  /** What about a reply is not as described, in words. */
  faultsOf({ responses }: Operation, reply: Reply): string[] {
    const status = String(reply.status);
    const refused = reply.status >= 400;
    const faults = [
      ...(reply.headers.get('x-svc-request-id') === null ? ['has no x-svc-request-id'] : []),
      ...(refused && reply.status < 500 && reply.headers.get('x-should-retry') !== 'false'
        ? ['has no x-should-retry: false']
        : []),
    ];
    const described = responses[status] ?? responses.default;
    if (described)
      return [...faults, ...this.headerFaults(described, reply), ...this.bodyFaults(described, reply)];
    if (!OF_ANY_REQUEST.includes(status)) return [...faults, `${status} is not described`];
    const anyRefusal = { schema: { $ref: '#/components/schemas/ErrorResponse' } };
    return [...faults, ...this.bodyFaults({ content: { 'application/json': anyRefusal } }, reply)];
  }

  private headerFaults({ headers = {} }: Described, reply: Reply): string[] {
    return Object.entries(headers).flatMap(([name, { $ref, schema }]) => {
      const value = reply.headers.get(name);
      if (value === null) return SOMETIMES.has(name) ? [] : [`has no ${name}`];
      const { type } =
        schema ?? this.document.components.headers[$ref?.split('/').at(-1) ?? '']?.schema ?? {};
      return type === 'integer' && !/^\d+$/.test(value) ? [`has ${name}: ${value}`] : [];
    });
  }

  private bodyFaults({ content }: Described, { headers, text }: Reply): string[] {
    if (!content) return text === '' ? [] : ['has a body'];
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const schema = content[type]?.schema;
    if (!schema) return [`has the content type "${type}"`];
    if (type === 'application/json') return this.misfits(schema, text);
    // Of other streams, and of CSV, the document says no more than the type.
    if (type !== 'text/event-stream' || schema.$ref === undefined) return [];
    const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
    if (events.pop() !== 'data: [DONE]') return ['does not end with [DONE]'];
    return events.flatMap((event) => this.misfits(schema, event.slice('data: '.length)));
  }

  private misfits(schema: Schema, text: string): string[] {
    const value: unknown = JSON.parse(text);
    const problems = [this.asWritten(schema, value), this.closed(schema, value)];
    return problems.filter((problem) => problem !== undefined);
  }
}

/** Says what is wrong with a value. */
function validatorOf(document: ApiDocument): (schema: Schema, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({
    ...document,
    $id: 'openapi',
  });
  return (schema, value) => {
    const fits = ajv.validate(withAddress(schema) as object, value);
    return fits ? undefined : ajv.errorsText(ajv.errors, { dataVar: 'body' });
  };
}

const addressed = new WeakMap<object, unknown>();
/** The schema from outside the document; the same for the same one, so that it is compiled once. */
function withAddress(schema: Schema): unknown {
  const known = addressed.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  const made: unknown = JSON.parse(text);
  addressed.set(schema, made);
  return made;
}

/** The same, with no properties but those that are named. */
function closedSchemas(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closedSchemas);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([name, value]) => [name, closedSchemas(value)]);
  const copy = Object.fromEntries(entries) as Schema;
  const isOpen = copy.type === 'object' && copy.properties && copy.additionalProperties === undefined;
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}
