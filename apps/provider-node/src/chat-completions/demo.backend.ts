import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { DEMO_FINGERPRINT, generate } from '../engine/demo-engine';
import type { EngineRequest, Generation, JsonObject } from '../engine/engine-request';
import { paced, waitFor } from '../engine/pacing';
import { UnsupportedSchemaError } from '../engine/schema-scalars';
import { ProviderNodeConfig } from '../provider-node.config';
import { ChatBackend } from './chat-backend';
import type { ChatReply } from './chat-backend';
import { readChatRequest } from './chat-request';
import { ChunkFrames, completionBody, newIdentity } from './completion-shapes';
import { invalidRequest } from './openai-error';

/** Answers from the demo engine, at the configured speed. */
@Injectable()
export class DemoBackend extends ChatBackend {
  constructor(private readonly config: ProviderNodeConfig) {
    super();
  }

  async answer(body: JsonObject, signal: AbortSignal): Promise<ChatReply> {
    const { engine, stream, includeUsage } = readChatRequest(body);
    const generation = generated(engine);
    const identity = newIdentity(engine.model, DEMO_FINGERPRINT);
    if (stream) {
      const frames = this.frames(new ChunkFrames(identity, includeUsage), generation, signal);
      return {
        contentType: 'text/event-stream; charset=utf-8',
        body: Readable.from(frames, { objectMode: false }),
      };
    }
    await waitFor(generation.events.length, this.config, signal);
    const completion = JSON.stringify(completionBody(identity, generation));
    return { contentType: 'application/json; charset=utf-8', body: completion };
  }

  isReady(): Promise<boolean> {
    return Promise.resolve(true);
  }

  private async *frames(
    frames: ChunkFrames,
    generation: Generation,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    for await (const event of paced(generation.events, this.config, signal)) yield frames.token(event);
    yield frames.end(generation);
  }
}

function generated(request: EngineRequest): Generation {
  try {
    return generate(request);
  } catch (error) {
    if (!(error instanceof UnsupportedSchemaError)) throw error;
    throw invalidRequest(error.message, request.tools.length > 0 ? 'tools' : 'response_format');
  }
}
