/** What a `SchemaThread` runs: answers one question after the other. */
import { parentPort } from 'node:worker_threads';
import { CompiledSchemas } from './compiled-schemas';
import type { SchemaQuestion } from './compiled-schemas';

const schemas = new CompiledSchemas();

parentPort?.on('message', (question: SchemaQuestion) => parentPort?.postMessage(schemas.answer(question)));
