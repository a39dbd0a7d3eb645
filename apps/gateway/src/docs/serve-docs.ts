import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { makeApiDocument } from './api-document';

/** Shows the API at `/docs`, and its description at `/docs/openapi.json`. */
export function serveDocs(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, makeApiDocument(app), {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: 'svc API',
  });
}
