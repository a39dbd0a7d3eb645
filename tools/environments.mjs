import { resolve } from 'node:path';
import { root } from './prepare.mjs';

/** Where each environment's marketplace keeps its state, below the clone. */
const stateDirs = { testnet: '.local', production: '.local/production' };

export const environments = Object.keys(stateDirs);

/** `SVC_STATE_DIR` names another directory for whichever environment is started, reset or asked. */
export function stateDirOf(environment) {
  return resolve(root, process.env.SVC_STATE_DIR || stateDirs[environment]);
}

/**
 * Takes `--environment NAME` (or `=NAME`) out of a command line.
 * @returns {{ environment: string | undefined, rest: string[] }} undefined when it is not there
 * @throws Error with one line for the user when there is no such environment
 */
export function takeEnvironment(args) {
  const at = args.findIndex((argument) => /^--environment(=|$)/.test(argument));
  if (at < 0) return { environment: undefined, rest: [...args] };
  const inline = args[at].includes('=');
  const environment = inline ? args[at].slice('--environment='.length) : args[at + 1];
  if (!environments.includes(environment)) {
    throw new Error(`--environment must be one of ${environments.join(', ')}.`);
  }
  return { environment, rest: args.toSpliced(at, inline ? 1 : 2) };
}
