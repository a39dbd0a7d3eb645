import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, ChatRequest } from './chat-request';
import { answerHonestly } from './honest-model';
import { TestHttpServer, bodyOf } from './test-server';
import { answerBody, answerEvents } from './wire-format';

const MODELS = JSON.stringify({ object: 'list', data: [{ id: 'test-model', object: 'model' }] });
const TOKENS_PER_TICK = 16;

/**
 * A small OpenAI-compatible server that does everything right: plain and streamed text, `stop`, `max_tokens`, tools, formats, usage,
 * and it stops writing when its caller hangs up. It is what the bad ones pretend to be: each of them overrides what it does wrong.
 */
export class HonestProvider extends TestHttpServer {
  /** Chat completions that came, and those that are being written now, and the most there were of those at once. */
  asked = 0;
  writing = 0;
  peak = 0;
  /** Tokens written since the start, whether anybody read them or not. */
  written = 0;
  readonly requests: ChatRequest[] = [];

  /** @param places requests served at once; more are told 429 */
  constructor(protected readonly places = 8) {
    super();
  }

  /** What is answered. */
  protected answer(request: ChatRequest): Answer {
    return answerHonestly(request);
  }

  /** What is sent for it: events of a stream, or one document. */
  protected parts(request: ChatRequest, answer: Answer): string[] {
    return request.stream ? answerEvents(answer) : [answerBody(answer)];
  }

  /** Milliseconds between two ticks of writing, and what is written in one. */
  protected get pace(): { tickMs: number; tokensPerTick: number } {
    return { tickMs: 1, tokensPerTick: TOKENS_PER_TICK };
  }

  /** Whether a request may be served at all. @returns the status that refuses it */
  protected refusal(_request: IncomingMessage): number | undefined {
    return this.writing >= this.places ? 429 : undefined;
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === undefined) return;
    const chat = request.method === 'POST';
    if (chat) this.asked++;
    const refused = this.refusal(request);
    if (refused !== undefined) return refuse(response, refused);
    if (!chat) return void response.writeHead(200, { 'content-type': 'application/json' }).end(MODELS);
    this.writing++;
    this.peak = Math.max(this.peak, this.writing);
    try {
      const asked = JSON.parse(body) as ChatRequest;
      this.requests.push(asked);
      await this.serve(asked, response);
    } finally {
      this.writing--;
    }
  }

  /** Writes the answer token by token, and no further than the caller listens. */
  protected async serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    const answer = this.answer(request);
    const parts = this.parts(request, answer);
    const { tokensPerTick, tickMs } = this.pace;
    begin(request, response);
    // A plain reply takes as long to write as a streamed one.
    const count = request.stream ? parts.length : answer.usage.completionTokens;
    for (let at = 0; at < count && !response.destroyed; at += tokensPerTick) {
      if (request.stream) response.write(parts.slice(at, at + tokensPerTick).join(''));
      this.written += Math.min(tokensPerTick, count - at);
      await sleep(tickMs);
    }
    response.end(request.stream ? '' : parts.join(''));
  }
}

/** Begins a reply of the form that was asked for. */
export function begin({ stream }: ChatRequest, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
  if (stream) response.flushHeaders();
}

function refuse(response: ServerResponse, status: number): void {
  const error = { message: 'not now', type: 'error', code: null, param: null };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}
