/** JSON Schema (draft 7, as AsyncAPI 3.0 takes it), as far as the contracts need it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: (string | number | boolean)[];
  const?: string | number | boolean;
  format?: string;
  pattern?: string;
  contentEncoding?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

export type Schemas = Record<string, JsonSchema>;

/** Refers to a schema of the document's components. */
export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
