import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BoundedMap } from '@svc/collections';
import { JsonSchemaTree, plainJsonSchema, schemaPattern } from '@svc/validation';
import { Ajv2020 } from 'ajv/dist/2020';
import { InvalidReplyError } from './invalid-reply.error';
import { MULTIPLE_OF } from './multiple-of';
import { TimeLimitError, withTimeLimit } from './time-limit';

/** Answers whether a value fits, or throws for want of time. */
type Check = (value: unknown) => boolean;

const MAX_KEPT = 256;
/** Longer schemas are compiled once a request, unless they could not be. */
const MAX_KEPT_CHARS = 64 * 1024;
const COMPILE_LIMIT_MS = 250;
const MATCH_LIMIT_MS = 100;
/** Of the processor's time, for all that one request's replies are held against: a reply may have many calls. */
const REQUEST_LIMIT_MS = 500;

/**
 * Matches values against clients' JSON Schemas. What became of a schema is remembered: for the request that it came with, and
 * by its text for those that come with the same, the longest unused forgotten first. A hostile one costs its time once,
 * however many offers a request tries, and many together no more than one.
 */
@Injectable()
export class SchemaChecks {
  private readonly ofRequest = new WeakMap<object, Check>();
  /** By request, of the processor's time. */
  private readonly spentMs = new WeakMap<object, number>();
  private readonly kept = new BoundedMap<string, Check>(MAX_KEPT);

  /**
   * @param schema a client's JSON Schema, of which the gateway said that it compiles; the same object for a request's attempts
   * @param request the same object for all schemas and attempts of a request; unless told it has this schema alone
   * @throws InvalidReplyError `schema_too_expensive` when neither answer came within the limit, `schema_unusable` when none can
   */
  matches(schema: object, value: unknown, request: object = schema): boolean {
    const spentMs = this.spentMs.get(request) ?? 0;
    if (spentMs >= REQUEST_LIMIT_MS) return tooExpensive();
    const started = process.cpuUsage();
    try {
      return this.matchesInTime(schema, value);
    } finally {
      const { user, system } = process.cpuUsage(started);
      this.spentMs.set(request, spentMs + (user + system) / 1_000);
    }
  }

  private matchesInTime(schema: object, value: unknown): boolean {
    const check = this.ofRequest.get(schema) ?? this.checkOf(schema);
    this.ofRequest.set(schema, check);
    try {
      return withTimeLimit(MATCH_LIMIT_MS, () => check(value));
    } catch (error) {
      // Ajv compares objects by their `valueOf`, which a provider's may have as a property.
      if (error instanceof TypeError) return false;
      if (!isTooExpensive(error)) throw error;
      // Another value may be cheap; this request has had its time.
      this.ofRequest.set(schema, tooExpensive);
      return tooExpensive();
    }
  }

  private checkOf(schema: object): Check {
    const text = JSON.stringify(schema);
    const isLong = text.length > MAX_KEPT_CHARS;
    const key = isLong ? createHash('sha256').update(text).digest('base64') : text;
    const check = this.kept.get(key) ?? compile(schema);
    const isKept = check !== unknown && (!isLong || check === tooExpensive || check === unusable);
    if (isKept) this.kept.set(key, check);
    return check;
  }
}

/** As the gateway took it: with the "u" flag or without. */
const regExp = Object.assign((pattern: string) => schemaPattern(pattern), { code: 'new RegExp' });

function compile(schema: object): Check {
  try {
    const validate = withTimeLimit(COMPILE_LIMIT_MS, () => {
      const tree = new JsonSchemaTree(schema as Record<string, unknown>);
      if (tree.problem) throw new Error(tree.problem);
      return newAjv().compile(plainJsonSchema(tree));
    });
    return (value) => validate(value) === true;
  } catch (error) {
    if (error instanceof TimeLimitError && error.stoodStill) return unknown;
    return isTooExpensive(error) ? tooExpensive : unusable;
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

function tooExpensive(): never {
  throw new InvalidReplyError('schema_too_expensive');
}

/** It got no processor in all its time: others that come with the same schema may have more luck. */
function unknown(): never {
  return tooExpensive();
}

/** The gateway takes no such schema. If one comes all the same, no reply may pass for one that was checked. */
function unusable(): never {
  throw new InvalidReplyError('schema_unusable');
}
