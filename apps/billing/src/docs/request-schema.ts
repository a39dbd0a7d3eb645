import { nestedMetadataOf } from '@svc/validation';
import { getMetadataStorage } from 'class-validator';
import { refTo } from './json-schema';
import type { JsonSchema, Schemas } from './json-schema';

type RequestClass = new () => object;
type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Descriptions of a class and its fields, from its source. */
export interface Descriptions {
  of(className: string, field?: string): string | undefined;
}

/** What each rule of class-validator says in JSON Schema; `undefined` for one that only code can check. */
const RULES: Record<string, (constraints: readonly unknown[]) => JsonSchema | undefined> = {
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isArray: () => ({ type: 'array' }),
  isBase64: () => ({ type: 'string', contentEncoding: 'base64' }),
  isBaseUnits: () => ({ type: 'string', pattern: '^(0|[1-9][0-9]{0,18})$' }),
  isUtcTime: () => ({ type: 'string', format: 'date-time' }),
  isIn: ([values]) => ({ enum: values as string[] }),
  matches: ([pattern]) => ({ type: 'string', pattern: (pattern as RegExp).source }),
  isLength: ([least, most]) => ({ minLength: least as number, maxLength: most as number }),
  maxLength: ([most]) => ({ maxLength: most as number }),
  minLength: ([least]) => ({ minLength: least as number }),
  min: ([least]) => ({ minimum: least as number }),
  max: ([most]) => ({ maximum: most as number }),
  arrayMaxSize: ([most]) => ({ maxItems: most as number }),
  arrayMinSize: ([least]) => ({ minItems: least as number }),
  checked: () => undefined,
};

/**
 * The schema of a request class, from the same rules that billing checks requests with; nested classes go along.
 * @throws Error for a rule that this does not know, so that none is left out in silence
 */
export function addRequestSchema(schemas: Schemas, Class: RequestClass, texts: Descriptions): JsonSchema {
  const { name } = Class;
  if (schemas[name]) return refTo(name);
  const schema: JsonSchema = { type: 'object', description: texts.of(name), properties: {}, required: [] };
  schemas[name] = schema;
  const byField = new Map<string, Rule[]>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(Class, '', false, false)) {
    byField.set(rule.propertyName, [rule, ...(byField.get(rule.propertyName) ?? [])]);
  }
  for (const [field, rules] of [...byField].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const fieldSchema = schemaOfField(schemas, Class, rules, texts);
    schema.properties = {
      ...schema.properties,
      [field]: withDescription(fieldSchema, texts.of(name, field)),
    };
    if (!rules.some(({ type }) => type === 'conditionalValidation')) schema.required?.push(field);
  }
  return refTo(name);
}

function schemaOfField(
  schemas: Schemas,
  Class: RequestClass,
  rules: readonly Rule[],
  texts: Descriptions,
): JsonSchema {
  const whole: JsonSchema = {};
  const each: JsonSchema = {};
  for (const rule of rules) {
    if (rule.type === 'conditionalValidation') continue;
    const nested = rule.type === 'nestedValidation' ? nestedMetadataOf(Class, rule.propertyName) : undefined;
    if (nested) {
      const reference = addRequestSchema(schemas, nested.type(), texts);
      if (!nested.each) return reference;
      Object.assign(each, reference);
      continue;
    }
    const meaning = RULES[rule.name ?? ''];
    if (!meaning)
      throw new Error(`${Class.name}.${rule.propertyName}: no schema for the rule "${rule.name}"`);
    Object.assign(rule.each ? each : whole, meaning((rule.constraints ?? []) as unknown[]));
  }
  return Object.keys(each).length > 0 ? { ...whole, items: each } : whole;
}

/** Beside a `$ref` nothing else counts. */
function withDescription(schema: JsonSchema, description: string | undefined): JsonSchema {
  if (description === undefined) return schema;
  return schema.$ref === undefined ? { ...schema, description } : { allOf: [schema], description };
}
