import type { OpenAPIObject } from '@nestjs/swagger';
import { KeyChange, KeyCreation, KeyRotation } from '../portal-api/keys/wallet-key.dto';

/** Bodies that are `@Exact()`, which a class cannot say of its own schema. */
export const EXACT_BODIES = [KeyCreation, KeyChange, KeyRotation];

/** The document with it said of them that they take no other fields. */
export function withExactBodies(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  const exact = EXACT_BODIES.map(({ name }) => [name, { ...schemas[name], additionalProperties: false }]);
  return {
    ...document,
    components: {
      ...document.components,
      schemas: { ...schemas, ...(Object.fromEntries(exact) as typeof schemas) },
    },
  };
}
