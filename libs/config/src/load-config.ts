import 'reflect-metadata';
import { Expose, plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

const VARIABLE = Symbol('svc.config.variable');

/** Binds a property of a config class to an environment variable. */
export function Env(variable: string): PropertyDecorator {
  return (target, property) => {
    Reflect.defineMetadata(VARIABLE, variable, target, property);
    Expose({ name: variable })(target, property);
  };
}

/** Thrown at boot when the environment does not fit; names variables, never their values. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration does not fit:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Reads the environment once into a typed, validated object. Numbers are converted by the property's type;
 * a variable that is empty, or blank, counts as absent.
 * @param ConfigClass properties carry `@Env('NAME')` and class-validator rules; initialisers are defaults
 * @throws ConfigError that names every variable that does not fit
 */
export function loadConfig<T extends object>(
  ConfigClass: new () => T,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): T {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const config = plainToInstance(ConfigClass, given, {
    excludeExtraneousValues: true,
    enableImplicitConversion: true,
    exposeDefaultValues: true,
    // An absent variable leaves the property's own default standing.
    exposeUnsetFields: false,
  });
  const problems = validateSync(config).map((error) => {
    const variable = Reflect.getMetadata(VARIABLE, ConfigClass.prototype as object, error.property) as
      string | undefined;
    const reason =
      error.value === undefined
        ? 'it is required'
        : // Rules are kept from the lowest to the uppermost, which says what kind of value it is: a word is no number out of bounds.
          (Object.values(error.constraints ?? {}).at(-1) ?? 'does not fit');
    return `${variable ?? error.property}: ${withoutProperty(reason, error.property)}`;
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The rules' own messages begin with the property, which an operator does not know; others may hold its name as a word. */
function withoutProperty(reason: string, property: string): string {
  return reason.startsWith(`${property} `) ? `it${reason.slice(property.length)}` : reason;
}
