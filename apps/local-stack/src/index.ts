export { runStack } from './run-stack';
