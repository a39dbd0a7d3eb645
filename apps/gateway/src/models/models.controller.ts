import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { invalidRequest } from '@svc/errors';
import { ErrorResponse, ModelCard, ModelList } from '@svc/openai-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ModelCatalog } from './model-catalog';
import type { CachedReply } from './model-catalog';

const PREFIX = '/v1/models/';

/** The models on sale; no key needed. */
@ApiTags('Models')
@ApiHeader({ name: 'If-None-Match', required: false, description: 'An ETag; 304 when nothing changed.' })
@Controller('v1/models')
export class ModelsController {
  constructor(private readonly catalog: ModelCatalog) {}

  @Get()
  @ApiOperation({ summary: 'Lists the models', operationId: 'listModels' })
  @ApiOkResponse({ type: ModelList })
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    send(request, reply, this.catalog.list());
  }

  @Get('*')
  @ApiOperation({ summary: 'Shows one model', operationId: 'showModel' })
  @ApiParam({ name: 'id', type: String, example: 'svc/demo@1', description: 'Raw or percent-encoded.' })
  @ApiOkResponse({ type: ModelCard })
  @ApiResponse({ status: 404, type: ErrorResponse })
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    send(request, reply, this.catalog.show(idOf(request.raw.url ?? '')));
  }
}

/** The id as the client wrote it: routers decode `/` and `%2F` differently, this does not. */
function idOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path.slice(PREFIX.length));
  } catch {
    throw invalidRequest('The model id is not percent-encoded as it should be.', 'model');
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { body, etag }: CachedReply): void {
  void reply.header('etag', etag).header('cache-control', 'public, no-cache');
  const known = request.headers['if-none-match'];
  if (known !== undefined && (known === '*' || known.includes(etag))) {
    void reply.status(304).send();
    return;
  }
  void reply.header('content-type', 'application/json; charset=utf-8').send(body);
}
