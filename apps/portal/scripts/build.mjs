/** Builds the page into dist/: types from the OpenAPI document, hashed assets, compressed copies beside them. */
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { compressAll } from './compress.mjs';
import { writeSchema } from './schema.mjs';

// Whoever calls may have set it to something else, and Vite would build a page for developers.
process.env.NODE_ENV = 'production';

const root = fileURLToPath(new URL('..', import.meta.url));

await writeSchema();
await build({ root, logLevel: 'warn' });
await compressAll(fileURLToPath(new URL('../dist', import.meta.url)));
