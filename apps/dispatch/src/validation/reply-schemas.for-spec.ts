import type { ReplySchemas } from './schema-checks.service';
import { SchemaChecks } from './schema-checks.service';

/** Each match is a reply's own. */
export function replySchemas(checks = new SchemaChecks()): ReplySchemas {
  return { matches: (schema, value) => checks.of(undefined, () => true).matches(schema, value) };
}
