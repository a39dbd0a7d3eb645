import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { makeApiDocument } from './api-document';
import { serveDescription } from './serve-description';

/** Shows the API at `/docs`, and its description at `/docs/openapi.json`. Nest would make it anew, in JSON and YAML, for each who asks. */
export function serveDocs(app: NestFastifyApplication): void {
  const document = makeApiDocument(app);
  SwaggerModule.setup('docs', app, document, { raw: false, customSiteTitle: 'svc API' });
  serveDescription(app, document);
}
