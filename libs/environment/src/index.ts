export { ENVIRONMENTS, ENVIRONMENT_NAMES } from './environment';
export type { Environment, EnvironmentName } from './environment';
