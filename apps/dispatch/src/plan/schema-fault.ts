import { invalidRequest } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { ReplyRules } from '../validation/reply-rules';

/** What one provider writes may take for ever against an honest client's schema. So many have not agreed on that. */
const WITNESSES = 2;

/**
 * Whether it is the client's schema that no reply can be held against, whoever else is asked: it cannot be compiled in time, or the replies of
 * two could not be matched in theirs.
 */
export function isSchemaAtFault(failures: readonly ProviderFailure[]): boolean {
  const isOf = (wanted: ProviderFailure['reason']) => failures.filter(({ reason }) => reason === wanted);
  return isOf('schema_unusable').length > 0 || isOf('schema_too_expensive').length >= WITNESSES;
}

/** What the client is told then; `param` where only one of its fields can be meant. */
export function schemaError({ schema, functions }: ReplyRules): SvcError {
  const hasStrict = [...functions.values()].some((parameters) => parameters !== undefined);
  const param = schema === undefined ? 'tools' : hasStrict ? undefined : 'response_format.json_schema.schema';
  return invalidRequest(
    'Replies cannot be held against this JSON Schema within the time there is for that: make it smaller, its patterns simpler (no repetition ' +
      'of a repetition), and its lists shorter where `uniqueItems` is asked for. Nothing was charged.',
    param,
  );
}
