import { Body, Controller, Get, Post, Res, UseGuards } from '@nestjs/common';
import { isDeeperThan, isJsonObject } from '@svc/validation';
import type { FastifyReply } from 'fastify';
import type { JsonObject } from '../engine/engine-request';
import { ProviderNodeConfig } from '../provider-node.config';
import { BearerGuard } from './bearer.guard';
import { ChatBackend } from './chat-backend';
import { InFlight } from './in-flight';
import { invalidRequest, modelNotFound } from './openai-error';

const MAX_JSON_DEPTH = 64;

interface ModelList {
  object: 'list';
  data: { id: string; object: 'model'; created: number; owned_by: string }[];
}

/** The node's API: OpenAI's chat completions and model list. */
@Controller('v1')
@UseGuards(BearerGuard)
export class ChatCompletionsController {
  private readonly models: readonly string[];
  private readonly startedAtSeconds = Math.floor(Date.now() / 1_000);

  constructor(
    private readonly config: ProviderNodeConfig,
    private readonly backend: ChatBackend,
    private readonly inFlight: InFlight,
  ) {
    this.models = config.models;
  }

  @Get('models')
  list(): ModelList {
    const data = this.models.map((id) => ({
      id,
      object: 'model' as const,
      created: this.startedAtSeconds,
      owned_by: this.config.providerName,
    }));
    return { object: 'list', data };
  }

  @Post('chat/completions')
  async complete(@Body() body: unknown, @Res() reply: FastifyReply): Promise<void> {
    const request = this.checked(body);
    // Hung up already: its `close` has passed, and nobody would count the request out again.
    if (reply.raw.destroyed) return;
    const hungUp = new AbortController();
    const leave = this.inFlight.enter();
    reply.raw.once('close', () => {
      leave();
      if (!reply.raw.writableFinished) hungUp.abort();
    });
    const answer = await this.backend.answer(request, hungUp.signal);
    void reply.status(200).headers({ 'content-type': answer.contentType, 'cache-control': 'no-cache' });
    void reply.send(answer.body);
  }

  private checked(body: unknown): JsonObject {
    if (!isJsonObject(body)) throw invalidRequest('The body must be a JSON object.');
    if (isDeeperThan(body, MAX_JSON_DEPTH)) {
      throw invalidRequest(`The body nests deeper than ${MAX_JSON_DEPTH} levels.`);
    }
    const request = body as JsonObject;
    if (typeof request.model !== 'string') throw invalidRequest('model must be a string.', 'model');
    if (!this.models.includes(request.model)) throw modelNotFound();
    return request;
  }
}
