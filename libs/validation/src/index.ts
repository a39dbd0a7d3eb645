export { compileValidator } from './compile';
export type { Validated, Validator } from './compile';
export { Checked, Exact, Nested, nestedMetadataOf } from './decorators';
export type { Check, Problem } from './decorators';
export { halfCharacterIn } from './half-character';
export { isDeeperThan } from './json-depth';
export { JsonSchemaTree, schemaPattern } from './json-schema-tree';
export { wholeNumberWords } from './number-words';
export { plainJsonSchema } from './plain-json-schema';
