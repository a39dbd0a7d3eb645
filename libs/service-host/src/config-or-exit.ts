import { ConfigError } from '@svc/config';

/**
 * Reads a process's configuration; when it does not fit, says which variables on standard error and ends the process
 * with code 2.
 */
export function configOrExit<C>(name: string, load: () => C): C {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exit(2);
  }
}
