export { runStack } from './run-stack';
export type { RunStackOptions } from './run-stack';
