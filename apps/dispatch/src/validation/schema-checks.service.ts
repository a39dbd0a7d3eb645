import { Injectable } from '@nestjs/common';
import { Ajv2020 } from 'ajv/dist/2020';
import { InvalidReplyError } from './invalid-reply.error';
import { TimeLimitError, withTimeLimit } from './time-limit';

type Check = (value: unknown) => boolean;

const MAX_KEPT = 256;
/** Longer schemas are compiled each time. */
const MAX_KEPT_CHARS = 64 * 1024;
const COMPILE_LIMIT_MS = 250;
const MATCH_LIMIT_MS = 100;

/** Matches values against clients' JSON Schemas; compiled ones are kept, the longest unused goes first. */
@Injectable()
export class SchemaChecks {
  private readonly kept = new Map<string, Check>();

  /**
   * @param schema a client's JSON Schema, of which the gateway said that it compiles
   * @throws InvalidReplyError `schema_too_expensive` when neither answer came within the limit
   */
  matches(schema: object, value: unknown): boolean {
    try {
      const check = this.checkOf(schema);
      return withTimeLimit(MATCH_LIMIT_MS, () => check(value));
    } catch (error) {
      // A RangeError is a stack that ran over: hostile depth.
      if (error instanceof TimeLimitError || error instanceof RangeError) {
        throw new InvalidReplyError('schema_too_expensive');
      }
      throw error;
    }
  }

  private checkOf(schema: object): Check {
    const text = JSON.stringify(schema);
    const known = this.kept.get(text);
    this.kept.delete(text);
    const check = known ?? compile(schema);
    if (text.length <= MAX_KEPT_CHARS) this.kept.set(text, check);
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value ?? '');
    return check;
  }
}

/** An instance each: ajv keeps the ids it has seen, and one client's must not meet another's. */
function compile(schema: object): Check {
  const ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    logger: false,
  });
  const plain = { ...schema, $schema: undefined, $id: undefined, $async: undefined };
  try {
    const validate = withTimeLimit(COMPILE_LIMIT_MS, () => ajv.compile(plain));
    return (value) => validate(value) === true;
  } catch (error) {
    if (error instanceof TimeLimitError || error instanceof RangeError) throw error;
    // Not a schema after all (a dialect of its own, a reference to elsewhere): nothing can be said against the value.
    return () => true;
  }
}
