import type { OpenAPIObject } from '@nestjs/swagger';
import { exactNames } from '@svc/validation';

/** The document with it said of bodies that are `@Exact()` that they take no other fields, which a class cannot say of its own schema. */
export function withExactBodies(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  const exact = exactNames()
    .filter((name) => name in schemas)
    .map((name) => [name, { ...schemas[name], additionalProperties: false }]);
  return {
    ...document,
    components: {
      ...document.components,
      schemas: { ...schemas, ...(Object.fromEntries(exact) as typeof schemas) },
    },
  };
}
