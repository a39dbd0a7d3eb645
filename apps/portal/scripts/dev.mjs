/** `npm run dev -w @svc/portal [-- <gateway's URL>]`: the page with hot reload before a gateway that runs already. */
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { writeSchema } from './schema.mjs';

await writeSchema();
const server = await createServer({ root: fileURLToPath(new URL('..', import.meta.url)) });
await server.listen();
server.printUrls();
