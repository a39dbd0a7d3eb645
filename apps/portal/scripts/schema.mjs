/** Writes the types of the gateway's API, from the OpenAPI document that it describes itself with. */
import { mkdirSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const document = new URL('../../../docs/openapi.json', import.meta.url);
const folder = new URL('../src/api/generated/', import.meta.url);

export async function writeSchema() {
  const types = astToString(await openapiTS(document));
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('schema.ts', folder), types);
}
