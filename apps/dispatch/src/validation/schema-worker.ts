/** What a `SchemaThread` runs: answers one question after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { CompiledSchemas } from './compiled-schemas';
import type { CompiledSchema } from './compiled-schemas';
import { Stage } from './schema-question';
import type { SchemaQuestionPart } from './schema-question';

const schemas = new CompiledSchemas();
const stage = workerData as Int32Array;
let compiled: CompiledSchema | undefined;

parentPort?.on('message', (part: SchemaQuestionPart) => {
  if ('schema' in part) {
    Atomics.store(stage, 0, Stage.compiling);
    compiled = schemas.of(part.schema);
    Atomics.store(stage, 0, Stage.compiled);
  } else if (compiled) parentPort?.postMessage(compiled(part.value));
});
