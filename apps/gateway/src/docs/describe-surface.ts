import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createLogger } from '@svc/observability';
import { AppModule } from '../app.module';
import { systemClock } from '../clock';
import { GatewayConfig } from '../gateway.config';
import { makeApiDocument } from './api-document';

/** The description of `/v1` without NATS or configuration: in preview, Nest wires the modules and makes nothing. */
export async function describeSurface(): Promise<OpenAPIObject> {
  const parts = {
    config: new GatewayConfig(),
    logger: createLogger('gateway', 'silent'),
    messaging: { service: 'gateway', instanceId: 'describe', connection: undefined as never },
  };
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forParts(parts, systemClock),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
  return makeApiDocument(app);
}
