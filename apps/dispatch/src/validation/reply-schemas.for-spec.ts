import type { ReplySchemas } from './schema-checks.service';
import { SchemaChecks } from './schema-checks.service';

/** For all replies of a spec file: each match is one's own. */
export function replySchemas(): ReplySchemas {
  const checks = new SchemaChecks();
  afterAll(() => checks.onApplicationShutdown());
  return { matches: (schema, value) => checks.of(undefined, () => true).matches(schema, value) };
}
