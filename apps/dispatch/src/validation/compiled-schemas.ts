import { JsonSchemaTree, plainJsonSchema, schemaPattern } from '@svc/validation';
import { Ajv2020 } from 'ajv/dist/2020';
import { MULTIPLE_OF } from './multiple-of';
import { TimeLimitError, withTimeLimit, workClock } from './time-limit';

/**
 * Why nobody can say whether a value fits:
 * - `schema_unusable`: the schema's, whatever the value, and whoever asks again;
 * - `schema_too_expensive`: this value's;
 * - `stood_still`: neither's, this thread was not run for all its time.
 */
export type SchemaRefusal = 'schema_unusable' | 'schema_too_expensive' | 'stood_still';

export interface SchemaAnswer {
  /** Whether it fits. */
  verdict: boolean | SchemaRefusal;
  /** Of the processor's time, the value took. */
  matchMs: number;
}

/** Holds a value against a schema. */
export type CompiledSchema = (value: unknown) => SchemaAnswer;

type Check = (value: unknown) => boolean;

const MAX_KEPT = 256;
/** Of their texts together; compiled they take some 30 times as much. */
const MAX_KEPT_CHARS = 2 * 1024 * 1024;
/** The largest that the gateway takes, 128 KiB, takes close to two seconds where everything is slow. */
const COMPILE_LIMIT_MS = 3_000;
const MATCH_LIMIT_MS = 100;

/** Compiles clients' JSON Schemas and holds values against them, each within a limit of time. The longest unused is forgotten first. */
export class CompiledSchemas {
  private readonly kept = new Map<string, Check>();
  private keptChars = 0;

  get size(): number {
    return this.kept.size;
  }

  /** @param schema a client's JSON Schema, as JSON */
  of(schema: string): CompiledSchema {
    const found = this.kept.get(schema) ?? compile(schema);
    const isCompiled = typeof found === 'function';
    if (isCompiled) this.keep(schema, found);
    return (value) => {
      const workedMs = workClock();
      const verdict = isCompiled ? match(found, value) : found;
      return { verdict, matchMs: workedMs() };
    };
  }

  private keep(schema: string, check: Check): void {
    if (!this.kept.delete(schema)) this.keptChars += schema.length;
    this.kept.set(schema, check);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MAX_KEPT && this.keptChars <= MAX_KEPT_CHARS) return;
      this.kept.delete(oldest);
      this.keptChars -= oldest.length;
    }
  }
}

function match(check: Check, value: unknown): boolean | SchemaRefusal {
  try {
    return withTimeLimit(MATCH_LIMIT_MS, () => check(value));
  } catch (error) {
    // Ajv compares objects by their `valueOf`, which a provider's may have as a property.
    if (error instanceof TypeError) return false;
    if (stoodStill(error)) return 'stood_still';
    if (isTooExpensive(error)) return 'schema_too_expensive';
    throw error;
  }
}

/** As the gateway took it: with the "u" flag or without. */
const regExp = Object.assign((pattern: string) => schemaPattern(pattern), { code: 'new RegExp' });

function compile(schema: string): Check | SchemaRefusal {
  try {
    const validate = withTimeLimit(COMPILE_LIMIT_MS, () => {
      const tree = new JsonSchemaTree(JSON.parse(schema) as Record<string, unknown>);
      if (tree.problem) throw new Error(tree.problem);
      const compiled = newAjv().compile(plainJsonSchema(tree));
      // What ajv has written is read by the engine when it is first run, which for much of it takes longer than a match may.
      compiled(undefined);
      return compiled;
    });
    return (value) => validate(value) === true;
  } catch (error) {
    // The gateway takes none that is unusable but for the time it takes. If one comes all the same, no reply may pass for one that was checked.
    return stoodStill(error) ? 'stood_still' : 'schema_unusable';
  }
}

/** An instance each: ajv keeps what it has seen of a schema, also where it was stopped in its middle, and one client's must not meet another's. */
function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    logger: false,
    // A reply without a "constructor" has none, though every object has.
    ownProperties: true,
    // Of a number beyond all that clients' languages have, as 1e999, nothing comes that could be used.
    strictNumbers: true,
    code: { regExp },
  });
  return ajv.removeKeyword('multipleOf').addKeyword(MULTIPLE_OF);
}

/** A RangeError is a stack that ran over: hostile depth. A SyntaxError comes of patterns that are too large to be run. */
function isTooExpensive(error: unknown): boolean {
  return error instanceof TimeLimitError || error instanceof RangeError || error instanceof SyntaxError;
}

function stoodStill(error: unknown): boolean {
  return error instanceof TimeLimitError && error.stoodStill;
}
