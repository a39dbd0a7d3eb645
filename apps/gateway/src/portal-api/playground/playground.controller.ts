import { Controller, Get, HttpCode, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
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
  KeyCard,
} from '@svc/openai-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { keyCard } from '../../keys/key-card';
import { PortalSessionGuard } from '../sessions/portal-session.guard';
import { PortalSession } from '../sessions/session';
import type { Session } from '../sessions/session';
import { NeedsSession } from '../sessions/session-refusals';
import type { PlaygroundKeys } from './playground-key';
import { PlaygroundKeysService, stateOf } from './playground-keys.service';
import { PlaygroundReply } from './playground.dto';
import { PlaygroundService } from './playground.service';

/** Chat completions from the portal's page, paid by the wallet that is signed in. */
@ApiTags('Portal')
@ApiExtraModels(KeyCard)
@NeedsSession()
@UseGuards(PortalSessionGuard)
@Controller('portal/api/playground')
export class PlaygroundController {
  constructor(
    private readonly playground: PlaygroundService,
    private readonly keys: PlaygroundKeysService,
  ) {}

  @Get()
  @UseInterceptors(SafeJsonInterceptor)
  @ApiOperation({ summary: 'Shows how the wallet’s playground stands', operationId: 'showPlayground' })
  @ApiOkResponse({ type: PlaygroundReply })
  async show(@PortalSession() { wallet }: Session, @Req() request: FastifyRequest): Promise<PlaygroundReply> {
    return replyOf(await this.keys.find(wallet, request.id));
  }

  @Post('key')
  @HttpCode(200)
  @UseInterceptors(SafeJsonInterceptor)
  @ApiOperation({
    summary: 'Turns the wallet’s playground on',
    operationId: 'turnPlaygroundOn',
    description:
      'Makes its key anew after it was revoked, with 5 USDC a day; enables it when it was disabled.',
  })
  @ApiOkResponse({ type: PlaygroundReply })
  @ApiResponse({
    status: 409,
    type: ErrorResponse,
    description: '`invalid_request`, `param` is `keys`: the wallet has no room for another',
  })
  async turnOn(
    @PortalSession() { wallet }: Session,
    @Req() request: FastifyRequest,
  ): Promise<PlaygroundReply> {
    return replyOf(await this.keys.turnOn(wallet, request.id));
  }

  @Post('chat/completions')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Creates a chat completion, as `POST /v1/chat/completions` does',
    operationId: 'createPlaygroundCompletion',
    description:
      'The same request, reply, stream, headers and errors, with the session in the key’s place. The first request turns the ' +
      'playground on.',
  })
  @ApiBody({ type: ChatCompletionRequest })
  @ApiResponse({
    status: 200,
    description: 'The completion, or the stream.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ChatCompletion) } },
      'text/event-stream': { schema: { $ref: getSchemaPath(ChatCompletionChunk) } },
    },
  })
  @ApiResponse({
    status: 409,
    type: ErrorResponse,
    description:
      '`invalid_request`, `param` is `playground`: it is off for this wallet; `keys`: the wallet has no room for the key it would need',
  })
  @ApiResponse({
    status: 'default',
    type: ErrorResponse,
    description: 'As `POST /v1/chat/completions` refuses',
  })
  complete(
    @PortalSession() session: Session,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.playground.complete(session, request, reply);
  }
}

function replyOf(keys: PlaygroundKeys): PlaygroundReply {
  const { newest } = keys;
  return { object: 'playground', state: stateOf(keys), key: newest ? keyCard(newest) : null };
}
