import { Injectable } from '@nestjs/common';
import { SvcError } from '@svc/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChatCompletionsService } from '../../chat-completions/chat-completions.service';
import type { Session } from '../sessions/session';
import { PlaygroundKeysService, playgroundOff } from './playground-keys.service';

/** The way of every completion, with a wallet's playground key. */
@Injectable()
export class PlaygroundService {
  constructor(
    private readonly completions: ChatCompletionsService,
    private readonly keys: PlaygroundKeysService,
  ) {}

  /** @throws SvcError as a completion is refused; invalid_request (409) while the playground is off */
  async complete({ wallet }: Session, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const keyHash = await this.keys.usable(wallet, request.id);
    try {
      await this.completions.serve(request, reply, keyHash);
    } catch (refusal) {
      // Revoked while it was being asked: there is no key that its owner could correct.
      if (SvcError.is(refusal) && refusal.code === 'invalid_api_key') throw playgroundOff();
      throw refusal;
    }
  }
}
