import 'reflect-metadata';
import { Type } from 'class-transformer';
import { ValidateBy, ValidateNested } from 'class-validator';

/** Why a value was refused, in the field's own terms. */
export interface Problem {
  /** JSON path from the value that was checked, e.g. `messages[0].content`; empty for the value itself. */
  path: string;
  message: string;
}

type Constructor = new () => object;

const NESTED = Symbol('svc.validation.nested');

interface NestedMetadata {
  type: () => Constructor;
  each: boolean;
}

/**
 * The property holds an object (or, with `each`, an array of objects) that is validated as `type`.
 * Serves class-validator, class-transformer and the compiled validators alike.
 */
export function Nested(type: () => Constructor, options: { each?: boolean } = {}): PropertyDecorator {
  const each = options.each ?? false;
  return (target, property) => {
    Reflect.defineMetadata(NESTED, { type, each } satisfies NestedMetadata, target, property);
    Type(type)(target, property);
    ValidateNested({ each })(target, property);
  };
}

export function nestedMetadataOf(target: Constructor, property: string): NestedMetadata | undefined {
  const metadata: unknown = Reflect.getMetadata(NESTED, target.prototype as object, property);
  return metadata as NestedMetadata | undefined;
}

/**
 * Checks a value and says where inside it the problem is: for shapes that class-validator's own decorators
 * cannot express (unions, depth limits). `check` gets the value and the object it stands on.
 */
export type Check = (value: unknown, object: object) => Problem | undefined;

/** The property passes when `check` finds no problem. The problem's path is relative to the property. */
export function Checked(check: Check): PropertyDecorator {
  return ValidateBy({
    name: 'checked',
    constraints: [check],
    validator: {
      validate: (value, args) => check(value, args?.object ?? {}) === undefined,
      defaultMessage: (args) => check(args?.value, args?.object ?? {})?.message ?? 'is not valid',
    },
  });
}

const EXACT = new Set<{ name: string }>();

/**
 * Objects of this class may have no fields but the declared ones: for what a person writes once, where a mistyped optional field would be
 * lost without a word. Not for what services tell each other, in which an older one meets fields of a newer one.
 */
export function Exact(): ClassDecorator {
  return (target) => {
    EXACT.add(target);
  };
}

export function isExact(target: Constructor): boolean {
  return EXACT.has(target);
}

/** The names of the classes that are `@Exact()`, of all that were loaded. */
export function exactNames(): string[] {
  return [...EXACT].map(({ name }) => name);
}
