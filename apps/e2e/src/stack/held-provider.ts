import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider that begins each reply at once and finishes it when it is told to; or that fails. */
export class HeldProvider {
  /** How many requests came. */
  requests = 0;
  /** How many were under way at once, at most. */
  mostAtOnce = 0;
  private atOnce = 0;
  /** `held`: waits for `release` with all but the first word. */
  mode: 'prompt' | 'held' | 'broken' = 'prompt';
  /** How long a prompt reply takes at most. */
  withinMs = 0;
  private readonly waiting: (() => void)[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HeldProvider> {
    const server = createServer();
    const provider = new HeldProvider(server);
    server.on('request', (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        // A heartbeat.
        if (request.method !== 'POST') response.writeHead(200).end();
        else provider.answer(Buffer.concat(pieces).toString(), response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  release(): void {
    for (const go of this.waiting.splice(0)) go();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(body: string, response: ServerResponse): void {
    const number = ++this.requests;
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
    response.once('close', () => this.atOnce--);
    if (this.mode === 'broken') return void response.writeHead(500).end();
    const { stream } = JSON.parse(body) as { stream?: boolean };
    const words = ['Reply', ` number ${number}`, ' in full.'];
    const finish = stream ? streamWords(response, words) : () => sendWhole(response, words);
    if (this.mode === 'held') this.waiting.push(finish);
    else if (this.withinMs > 0) setTimeout(finish, Math.random() * this.withinMs);
    else finish();
  }
}

/** Sends the first word. @returns what sends the rest */
function streamWords(response: ServerResponse, [first = '', ...rest]: string[]): () => void {
  const send = (event: object | string) =>
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  const chunk = (delta: object, finishReason: string | null = null) => ({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send(chunk({ role: 'assistant', content: first }));
  return () => {
    for (const content of rest) send(chunk({ content }));
    send(chunk({}, 'stop'));
    send({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 } });
    send('[DONE]');
    response.end();
  };
}

function sendWhole(response: ServerResponse, words: string[]): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: words.join('') }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 6, total_tokens: 15 },
    }),
  );
}
