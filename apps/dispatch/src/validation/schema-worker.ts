/** What a `SchemaThread` runs: answers one question after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { CompiledSchemas } from './compiled-schemas';
import type { CompiledSchema } from './compiled-schemas';
import type { SchemaQuestionPart } from './schema-question';

const schemas = new CompiledSchemas();
const isCompiled = workerData as Int32Array;
let compiled: CompiledSchema | undefined;

parentPort?.on('message', (part: SchemaQuestionPart) => {
  if ('schema' in part) {
    compiled = schemas.of(part.schema);
    Atomics.store(isCompiled, 0, 1);
  } else if (compiled) parentPort?.postMessage(compiled(part.value));
});
