import type { Environment } from '@svc/environment';
import type { Progress } from './progress';
import type { StackSecrets } from './secrets';
import type { StackOptions, StackPaths } from './stack.config';
import type { StackPorts } from './stack-ports';

/** What every part of the supervisor works with. */
export interface StackContext {
  environment: Environment;
  options: StackOptions;
  paths: StackPaths;
  secrets: StackSecrets;
  ports: StackPorts;
  progress: Progress;
}

/** How the services reach their servers, local or given. */
export interface ServerAddresses {
  natsUrl: string;
  /** As a role that may create roles and schemas. */
  databaseUrl: string;
  chainRpcUrl: string;
  chainId: number;
}
