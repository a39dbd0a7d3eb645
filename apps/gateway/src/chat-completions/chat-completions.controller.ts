import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ErrorResponse,
  MAX_JSON_PARTS,
} from '@svc/openai-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeysService } from '../keys/api-keys.service';
import { TooManyUnknownKeys } from '../keys/too-many-unknown-keys';
import { ChatCompletionsService } from './chat-completions.service';

const REQUEST_ID = {
  'x-svc-request-id': {
    description: 'Request id, for support and for matching usage records.',
    schema: { type: 'string' },
  },
  'x-request-id': {
    description: 'The same, under the name that the official SDKs read.',
    schema: { type: 'string' },
  },
};
const HOLD = {
  'x-svc-hold-usdc': {
    description: 'The most the request could have cost: what was held, USDC.',
    schema: { type: 'string' },
  },
};
const REPLAY = {
  'x-svc-idempotent-replay': {
    description:
      '`true` on the reply of an earlier request under the same idempotency key; the ids are that request’s.',
    schema: { type: 'string' },
  },
};
const RETRY_AFTER = {
  'Retry-After': { description: 'Whole seconds, 1 to 30.', schema: { type: 'integer' } },
};

@ApiTags('Chat')
@ApiBearerAuth()
@ApiExtraModels(ChatCompletionChunk)
@ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description:
    'Makes a request safe to repeat: 1 to 255 printable ASCII characters of your choice, for 24 hours. The same request under ' +
    'the same key gets the first one’s reply byte for byte and is charged once; while the first is under way it is joined. A ' +
    'client that hangs up does not stop it. Refusals and failures are not kept. The key belongs to the wallet.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
})
@Controller('v1/chat/completions')
export class ChatCompletionsController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly completions: ChatCompletionsService,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Creates a chat completion',
    operationId: 'createChatCompletion',
    description:
      'With `stream: true` the reply is a server-sent event stream of chunks: the content, then one chunk with an ' +
      'empty `choices` array that carries `svc`, then `data: [DONE]`. A stream that fails ends with one chunk that ' +
      'carries `error`; nothing is charged then, unless its message says that the request goes on. Tool calls are sent once they are ' +
      'whole and valid; so is all of a reply that must be JSON (`response_format`) or a call (`tool_choice`).\n\n' +
      'Fields that are not described here are ignored, and null in an optional one counts as absent. A body holds at most ' +
      `${MAX_JSON_PARTS} JSON values and names of fields, those included.\n\n` +
      'A named model is never substituted. On the test network the routing model (`svc/cortex@1`, marked `cortex` in the model list) ' +
      'picks among its candidates, of those that can do all that the request asks; `svc.served` says who answered. Without ' +
      '`max_tokens` the answer is as long as each of them could make it, at most. What is held is the price of the dearest offer that ' +
      'may be asked, within the routing model’s ceiling; what is charged is the price of the one that served.',
  })
  @ApiBody({ type: ChatCompletionRequest })
  @ApiResponse({
    status: 200,
    description: 'The completion, or the stream.',
    headers: { ...REQUEST_ID, ...HOLD, ...REPLAY },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ChatCompletion) } },
      'text/event-stream': { schema: { $ref: getSchemaPath(ChatCompletionChunk) } },
    },
  })
  @ApiExtraModels(ChatCompletion)
  @ApiResponse({
    status: 400,
    type: ErrorResponse,
    description:
      '`invalid_request`, `feature_not_supported`: what the named model cannot do, of the routing model what no candidate can; what every provider that was asked refuses as it stands',
  })
  @ApiResponse({ status: 401, type: ErrorResponse, description: '`invalid_api_key`' })
  @ApiResponse({ status: 402, type: ErrorResponse, description: '`insufficient_quota`; nothing is charged' })
  @ApiResponse({ status: 403, type: ErrorResponse, description: '`account_suspended`' })
  @ApiResponse({ status: 404, type: ErrorResponse, description: '`model_not_found`' })
  @ApiResponse({
    status: 409,
    type: ErrorResponse,
    description: '`invalid_request`: the request under this idempotency key is being finished; repeat it',
    headers: RETRY_AFTER,
  })
  @ApiResponse({ status: 413, type: ErrorResponse, description: '`invalid_request`: the body is too large' })
  @ApiResponse({ status: 415, type: ErrorResponse, description: '`invalid_request`: the body is not JSON' })
  @ApiResponse({
    status: 422,
    type: ErrorResponse,
    description: '`invalid_request`: another request stands under this idempotency key',
  })
  @TooManyUnknownKeys()
  @ApiResponse({ status: 500, type: ErrorResponse, description: '`internal_error`' })
  @ApiResponse({
    status: 502,
    type: ErrorResponse,
    description: '`provider_output_invalid`; nothing is charged',
  })
  @ApiResponse({
    status: 503,
    type: ErrorResponse,
    description:
      '`no_capacity`; nothing is charged, unless the message asks to repeat it under its `Idempotency-Key`',
  })
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const keyHash = this.keys.hashOf(request.headers.authorization);
    await this.completions.serve(request, reply, keyHash);
  }
}
