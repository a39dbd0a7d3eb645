import { IS_LENGTH, MATCHES, MAX_LENGTH, MIN_LENGTH, getMetadataStorage } from 'class-validator';
import type { ValidationArguments } from 'class-validator';
import { isExact, nestedMetadataOf } from './decorators';
import type { Check, Problem } from './decorators';
import { isText } from './is-text';
import { isJsonObject } from './json-object';
import { ruleWords } from './rule-words';

type Constructor<T extends object = object> = new () => T;
type ValidationMetadata = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** What validation ends with: the known fields only, or the first problem. */
export type Validated<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export type Validator<T> = (input: unknown) => Validated<T>;

/** Checks one property: nothing to say when it is right as it is, else the value to keep instead, or a problem. */
type Step = (value: unknown, object: object) => { value: unknown } | { problem: Problem } | undefined;

interface PropertyPlan {
  property: string;
  optional: boolean;
  steps: Step[];
}

/** A client chooses the names of fields that are not known, and how long they are. */
const MAX_SHOWN_NAME = 100;

const compiled = new WeakMap<Constructor, Validator<object>>();

/**
 * Compiles a class-validator class into a plain function, once. The class stays the one source of the rules;
 * what is saved is class-validator's per-call reflection and class-transformer's instances, which cost more
 * than everything else the gateway does for a long conversation.
 *
 * The result holds the declared properties only: unknown fields are dropped at every nested level, or refused by a class that is
 * `@Exact()`. A null in an optional property counts as absent. Rules run in the order of declaration; the first problem ends the
 * check. All rules of a number have one message, which says what number it must be; so have those of a text, and of a list. The length of
 * a text is counted in code points (`isText`), which class-validator does not quite.
 * @throws Error at once for a rule it cannot compile (groups, `@ValidateIf`, promises), so at start-up, not per request
 */
export function compileValidator<T extends object>(Class: Constructor<T>): Validator<T> {
  const known = compiled.get(Class);
  if (known) return known as Validator<T>;
  let plans: PropertyPlan[] | undefined;
  const exact = isExact(Class);
  const validator: Validator<object> = (input) => run((plans ??= plansOf(Class)), input, exact);
  compiled.set(Class, validator);
  // Nested classes may refer back to this one, so it is registered before its plans are made.
  plans = plansOf(Class);
  return validator as Validator<T>;
}

function unknownField(plans: PropertyPlan[], input: object): Problem | undefined {
  const path = Object.keys(input).find((field) => plans.every(({ property }) => property !== field));
  if (path === undefined) return undefined;
  const shown = path.length > MAX_SHOWN_NAME ? `${path.slice(0, MAX_SHOWN_NAME)}…` : path;
  return { path: shown, message: 'is not a known field' };
}

function run(plans: PropertyPlan[], given: unknown, exact: boolean): Validated<object> {
  if (!isJsonObject(given)) return { ok: false, problem: { path: '', message: 'must be an object' } };
  const value: Record<string, unknown> = {};
  for (const plan of plans) {
    let current: unknown = Object.hasOwn(given, plan.property) ? given[plan.property] : undefined;
    if (plan.optional && (current === undefined || current === null)) continue;
    for (const step of plan.steps) {
      const result = step(current, given);
      if (!result) continue;
      if ('problem' in result) return { ok: false, problem: below(plan.property, result.problem) };
      current = result.value;
    }
    if (current !== undefined) value[plan.property] = current;
  }
  const problem = exact ? unknownField(plans, given) : undefined;
  return problem ? { ok: false, problem } : { ok: true, value };
}

function below(parent: string, problem: Problem): Problem {
  const glue = problem.path === '' || problem.path.startsWith('[') ? '' : '.';
  return { path: `${parent}${glue}${problem.path}`, message: problem.message };
}

function plansOf(Class: Constructor): PropertyPlan[] {
  const metadatas = getMetadataStorage().getTargetValidationMetadatas(Class, '', false, false);
  const byProperty = new Map<string, ValidationMetadata[]>();
  for (const metadata of metadatas) {
    const list = byProperty.get(metadata.propertyName) ?? [];
    if (metadata.type === 'conditionalValidation' && metadata.name !== 'isOptional') {
      throw new Error(`${Class.name}.${metadata.propertyName}: cannot compile @ValidateIf`);
    }
    // Decorators apply from the bottom up; rules are to run as they are read.
    list.unshift(metadata);
    byProperty.set(metadata.propertyName, list);
  }
  return [...byProperty].map(([property, list]) => {
    const words = ruleWords(list);
    return {
      property,
      optional: list.some((metadata) => metadata.type === 'conditionalValidation'),
      steps: list
        .filter((metadata) => metadata.type !== 'conditionalValidation')
        // Plain rules (is it an array, how many) come before the nested walk.
        .sort((a, b) => Number(a.type === 'nestedValidation') - Number(b.type === 'nestedValidation'))
        .map((metadata) => stepOf(Class, metadata, words)),
    };
  });
}

/** @param words what the property's rules say, by their names */
function stepOf(Class: Constructor, metadata: ValidationMetadata, words: ReturnType<typeof ruleWords>): Step {
  if (metadata.type === 'nestedValidation') return nestedStep(Class, metadata.propertyName);
  if (metadata.type === 'whitelistValidation') return () => undefined;
  if (metadata.type !== 'customValidation') {
    throw new Error(`${Class.name}.${metadata.propertyName}: cannot compile the rule "${metadata.type}"`);
  }
  if (metadata.name === 'checked') {
    const check = (metadata.constraints as [Check])[0];
    return (value, object) => {
      const problem = check(value, object);
      return problem && { problem };
    };
  }
  return ruleStep(Class, metadata, words.get(metadata.name ?? ''));
}

function nestedStep(Class: Constructor, property: string): Step {
  const nested = nestedMetadataOf(Class, property);
  if (!nested) throw new Error(`${Class.name}.${property}: use @Nested instead of @ValidateNested`);
  const { each, type } = nested;
  let validate: Validator<object> | undefined;
  const one = (value: unknown) => (validate ??= compileValidator(type()))(value);
  if (!each) {
    return (value) => {
      const result = one(value);
      return result.ok ? { value: result.value } : { problem: result.problem };
    };
  }
  return (value) => {
    if (!Array.isArray(value)) return { problem: { path: '', message: 'must be an array' } };
    const kept: object[] = [];
    for (let index = 0; index < value.length; index++) {
      const result = one(value[index]);
      if (!result.ok) return { problem: below(`[${index}]`, result.problem) };
      kept.push(result.value);
    }
    return { value: kept };
  };
}

/** A decorator of class-validator itself, or one made by `ValidateBy`: its own `validate` is called, but for `ownTestOf`. */
function ruleStep(Class: Constructor, metadata: ValidationMetadata, words: string | undefined): Step {
  const [constraint] = getMetadataStorage().getTargetValidatorConstraints(metadata.constraintCls);
  if (!constraint || constraint.async) {
    throw new Error(`${Class.name}.${metadata.propertyName}: cannot compile the rule "${metadata.name}"`);
  }
  const { instance } = constraint;
  const property = metadata.propertyName;
  const constraints = (metadata.constraints ?? []) as unknown[];
  // A function's name is asked of the engine each time.
  const targetName = Class.name;
  const argumentsOf = (value: unknown, object: object): ValidationArguments => ({
    value,
    object,
    property,
    constraints,
    targetName,
  });
  const passes =
    ownTestOf(metadata) ??
    ((value: unknown, object: object) => instance.validate(value, argumentsOf(value, object)) === true);
  const test = (value: unknown, object: object): Problem | undefined => {
    if (passes(value, object)) return undefined;
    const args = argumentsOf(value, object);
    return { path: '', message: messageOf(metadata, args, words ?? instance.defaultMessage?.(args)) };
  };
  if (!metadata.each) {
    return (value, object) => {
      const problem = test(value, object);
      return problem && { problem };
    };
  }
  return (value, object) => {
    if (!Array.isArray(value)) return { problem: { path: '', message: 'must be an array' } };
    for (let index = 0; index < value.length; index++) {
      const problem = test(value[index], object);
      if (problem) return { problem: { path: `[${index}]`, message: problem.message } };
    }
    return undefined;
  };
}

type Test = (value: unknown, object: object) => boolean;

/** What is tested here in class-validator's place: lengths, which it counts in another way, and patterns, of which it is slower. */
function ownTestOf(metadata: ValidationMetadata): Test | undefined {
  const [first, second] = (metadata.constraints ?? []) as (number | undefined)[];
  if (metadata.name === IS_LENGTH) return (value) => isText(value, first ?? 0, second);
  if (metadata.name === MIN_LENGTH) return (value) => isText(value, first ?? 0);
  if (metadata.name === MAX_LENGTH) return (value) => isText(value, 0, first);
  return patternTestOf(metadata);
}

/** What `@Matches` tests, and nothing else: class-validator makes a list of what matched, and looks at the pattern anew each time. */
function patternTestOf({ name, constraints }: ValidationMetadata): Test | undefined {
  const [pattern] = (constraints ?? []) as unknown[];
  if (name !== MATCHES || !(pattern instanceof RegExp)) return undefined;
  // These go on where they left off.
  if (pattern.global || pattern.sticky) return undefined;
  return (value) => typeof value === 'string' && pattern.test(value);
}

function messageOf(
  metadata: ValidationMetadata,
  args: ValidationArguments,
  fallback: string | undefined,
): string {
  const { message } = metadata;
  const template = typeof message === 'function' ? message(args) : (message ?? fallback ?? 'is not valid');
  return template
    .replace(/^each value in /, '')
    .replace(/^\$property\s+/, '')
    .replaceAll('$property', args.property)
    .replace(/\$constraint(\d)/g, (_, n: string) => {
      const constraint: unknown = args.constraints[Number(n) - 1];
      return Array.isArray(constraint) ? constraint.join(', ') : String(constraint);
    });
}
