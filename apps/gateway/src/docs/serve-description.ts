import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { entityTagOf } from '../http/entity-tag';
import { sendRepresentation } from '../http/representation';

/** The same for everybody until another version is started, so it is made once. */
export function serveDescription(app: NestFastifyApplication, document: OpenAPIObject): void {
  const body = Buffer.from(JSON.stringify(document));
  const description = { body, etag: entityTagOf(body), cacheControl: 'public, no-cache' };
  app.getHttpAdapter().get('/docs/openapi.json', (request: FastifyRequest, reply: FastifyReply) => {
    sendRepresentation(request, reply, description);
  });
}
