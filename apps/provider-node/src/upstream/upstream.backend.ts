import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { steadyConnector } from '@svc/http-client';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import { ChatBackend } from '../chat-completions/chat-backend';
import type { ChatReply } from '../chat-completions/chat-backend';
import type { JsonObject } from '../engine/engine-request';
import { ProviderNodeConfig } from '../provider-node.config';
import { networkFailure, refusal } from './upstream-errors';

const CONNECT_TIMEOUT_MS = 5_000;
const READY_TIMEOUT_MS = 2_000;
const MAX_REPLY_BYTES = 64 * 1_048_576;
const MAX_ERROR_BYTES = 65_536;

/**
 * Forwards to an OpenAI-compatible server: the request with its model's name put in, the reply's bytes as they
 * come. A slow caller slows the upstream down; one that hangs up ends the request there.
 */
@Injectable()
export class UpstreamBackend extends ChatBackend implements OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly base: string;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly config: ProviderNodeConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.base = (config.upstreamUrl ?? '').replace(/\/+$/, '');
    this.headers =
      config.upstreamApiKey === undefined ? {} : { authorization: `Bearer ${config.upstreamApiKey}` };
    this.agent = new Agent({
      connect: steadyConnector({ timeout: CONNECT_TIMEOUT_MS }),
      headersTimeout: config.upstreamTimeoutMs,
      bodyTimeout: config.upstreamTimeoutMs,
      maxResponseSize: MAX_REPLY_BYTES,
      // One more: whether it is ready is asked while all places are taken, too.
      connections: config.maxConcurrent + 1,
    });
  }

  async answer(request: JsonObject, signal: AbortSignal): Promise<ChatReply> {
    const response = await this.send(request, signal);
    const { statusCode, headers, body } = response;
    if (statusCode !== 200) throw await this.refused(response);
    const contentType = headers['content-type'];
    body.on('error', (error) => {
      if (!signal.aborted) this.logger.warn({ err: error }, 'the upstream broke its reply off');
    });
    return { contentType: typeof contentType === 'string' ? contentType : 'application/json', body };
  }

  async isReady(): Promise<boolean> {
    const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
    const { headers, agent: dispatcher } = this;
    const { statusCode, body } = await dispatcher.request({
      ...target(`${this.base}/models`),
      method: 'GET',
      headers,
      signal,
    });
    await body.dump();
    return statusCode < 500;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }

  private async send(request: JsonObject, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await this.agent.request({
        ...target(`${this.base}/chat/completions`),
        method: 'POST',
        headers: { ...this.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...request, model: this.config.upstreamModel }),
        signal,
      });
    } catch (error) {
      if (!signal.aborted) this.logger.warn({ err: error }, 'the upstream could not be asked');
      throw networkFailure(error);
    }
  }

  private async refused({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Error> {
    this.logger.warn({ statusCode }, 'the upstream refused');
    return refusal(statusCode, await beginningOf(body), headers);
  }
}

function target(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}` };
}

/** The first bytes of a body as text; the rest is not read. */
async function beginningOf(body: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= MAX_ERROR_BYTES) break;
    }
  } catch {
    // What came before it broke off is told all the same.
  }
  return Buffer.concat(parts).toString('utf8');
}
