import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse, ModelCard, ModelList } from '@svc/openai-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { codingFor } from '../http/accept-encoding';
import { sendRepresentation } from '../http/representation';
import { ModelCatalog } from './model-catalog';

/** Kept by whoever likes, and asked about each time. */
const CACHE_CONTROL = 'public, no-cache';

interface ModelRoute {
  /** The id, decoded: it may hold a slash of either spelling. */
  Params: { '*': string };
}

/** The models on sale; no key needed. */
@ApiTags('Models')
@ApiHeader({ name: 'If-None-Match', required: false, description: 'An ETag; 304 when nothing changed.' })
@ApiResponse({ status: 304, description: 'What `If-None-Match` names is current.' })
@Controller('v1/models')
export class ModelsController {
  constructor(private readonly catalog: ModelCatalog) {}

  @Get()
  @ApiOperation({ summary: 'Lists the models', operationId: 'listModels' })
  @ApiOkResponse({ type: ModelList })
  @ApiResponse({ status: 503, type: ErrorResponse, description: '`no_capacity`' })
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const coding = codingFor(acceptedBy(request));
    const { coding: contentEncoding, ...representation } = this.catalog.list().in(coding);
    sendRepresentation(request, reply, {
      ...representation,
      contentEncoding,
      cacheControl: CACHE_CONTROL,
      vary: 'accept-encoding',
    });
  }

  @Get('*')
  @ApiOperation({ summary: 'Shows one model', operationId: 'showModel' })
  @ApiParam({ name: 'id', type: String, example: 'svc/demo@1', description: 'Raw or percent-encoded.' })
  @ApiOkResponse({ type: ModelCard })
  @ApiResponse({ status: 404, type: ErrorResponse })
  @ApiResponse({ status: 503, type: ErrorResponse, description: '`no_capacity`' })
  show(@Req() request: FastifyRequest<ModelRoute>, @Res() reply: FastifyReply): void {
    const id = request.params['*'];
    // A slash after `models` names none of them.
    if (id === '') return this.list(request, reply);
    const card = this.catalog.show(id);
    sendRepresentation(request, reply, { ...card, cacheControl: CACHE_CONTROL });
  }
}

function acceptedBy({ headers }: FastifyRequest): string | undefined {
  const accepted = headers['accept-encoding'];
  return Array.isArray(accepted) ? accepted.join(',') : accepted;
}
