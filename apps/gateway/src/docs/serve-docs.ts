import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { makeApiDocument } from './api-document';
import { serveDescription } from './serve-description';

/** Shows the API at `/docs`, and its description at `/docs/openapi.json`. */
export function serveDocs(app: NestFastifyApplication): void {
  const document = makeApiDocument(app);
  SwaggerModule.setup('docs', app, document, {
    raw: ['yaml'],
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: 'svc API',
  });
  serveDescription(app, document);
}
