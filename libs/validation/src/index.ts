export { compileValidator } from './compile';
export type { Validated, Validator } from './compile';
export { Checked, Nested, nestedMetadataOf } from './decorators';
export type { Check, Problem } from './decorators';
export { isDeeperThan } from './json-depth';
