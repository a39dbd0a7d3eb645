import { existsSync } from 'node:fs';
import type { Environment } from '@svc/environment';
import { readSetupState } from './service-environment';
import type { StackPaths } from './stack.config';

/**
 * A state directory is one environment's for good: begun in the other it would go on with that one's keys, ledger and chain. Which it is
 * shows in the key that setup made.
 * @throws Error in the user's words
 */
export function refuseOthersState(environment: Environment, { stateFile, stateDir }: StackPaths): void {
  const key = existsSync(stateFile) ? readSetupState(stateFile).apiKey : undefined;
  if (key === undefined || key.startsWith(environment.keyPrefix)) return;
  throw new Error(
    `${stateDir} holds a marketplace of the other environment, not of ${environment.name}. ` +
      'Name another SVC_STATE_DIR, or empty this one with "npm run reset".',
  );
}
