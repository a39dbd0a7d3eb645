import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder } from '@nestjs/swagger';
import { serveDescription } from './serve-description';

class NoModule {}

describe('the served description', () => {
  const document = { ...new DocumentBuilder().setTitle('svc').build(), paths: {} };
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(NoModule, new FastifyAdapter(), { logger: false });
    serveDescription(app, document);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterAll(() => app.close());

  const ask = (method: 'GET' | 'HEAD', headers: Record<string, string> = {}) =>
    app.inject({ method, url: '/docs/openapi.json', headers });

  it('is made once, and has a tag', async () => {
    const stringify = jest.spyOn(JSON, 'stringify');
    const reply = await ask('GET');
    expect(stringify).not.toHaveBeenCalled();
    stringify.mockRestore();
    expect(reply.json()).toEqual(document);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, no-cache',
      etag: expect.stringMatching(/^"[\w-]{22}"$/) as string,
    });
    const head = await ask('HEAD');
    expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', reply.headers.etag]);
  });

  it('is not sent again to who has it', async () => {
    const { headers } = await ask('GET');
    const again = await ask('GET', { 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', headers.etag]);
    expect((await ask('GET', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });
});
