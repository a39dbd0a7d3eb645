import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { runApp } from '../running-app.for-spec';
import type { RunningApp } from '../running-app.for-spec';

type Behaviour = (response: ServerResponse, body: Record<string, unknown>, request: IncomingMessage) => void;

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
const CHUNK = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n';

/** A server that answers each completion as the test says. */
class Upstream {
  behave: Behaviour = (response) => response.end();
  readonly server = createServer((request, response) => void this.handle(request, response));

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request as AsyncIterable<Buffer>) text += part.toString();
    if (request.url === '/v1/models') response.end('{"data":[]}');
    else this.behave(response, JSON.parse(text) as Record<string, unknown>, request);
  }
}

describe('a node with an upstream', () => {
  const upstream = new Upstream();
  let app: RunningApp;
  /** Of the same upstream; for tests in which that takes too long, and no others: so does any machine that stands still. */
  let impatient: RunningApp;
  let client: OpenAI;

  const clientOf = ({ url }: RunningApp) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });

  beforeAll(async () => {
    const settings = {
      UPSTREAM_URL: `${await upstream.start()}/`,
      UPSTREAM_MODEL: 'llama',
      UPSTREAM_API_KEY: 'upstream-key',
      PROVIDER_MODEL: 'svc/llama@1',
    };
    app = await runApp(settings);
    impatient = await runApp({ ...settings, UPSTREAM_TIMEOUT_MS: '2500' });
    client = clientOf(app);
  });
  afterAll(async () => {
    await app.close();
    await impatient.close();
    await upstream.stop();
  });

  const create = (by = client) => by.chat.completions.create({ model: 'svc/llama@1', messages });
  const post = (body: object, { url } = app) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc/llama@1', messages, ...body }),
    });

  it("sends the request on as it came, with the upstream's model and key", async () => {
    let seen: unknown;
    upstream.behave = (response, body, { headers, url }) => {
      seen = { body, url, authorization: headers.authorization };
      response.setHeader('content-type', 'application/json').end('{"any":"reply"}');
    };
    const response = await post({ temperature: 0.5, unknown: [1] });
    expect(await response.json()).toEqual({ any: 'reply' });
    expect(seen).toEqual({
      body: { model: 'llama', messages, temperature: 0.5, unknown: [1] },
      url: '/v1/chat/completions',
      authorization: 'Bearer upstream-key',
    });
  });

  it('passes the bytes of a stream through as they come', async () => {
    let finish = () => {};
    upstream.behave = (response) => {
      response.setHeader('content-type', 'text/event-stream').write(CHUNK);
      finish = () => response.end(': a comment\r\n\r\ndata: [DONE]\n\n');
    };
    const response = await post({ stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe(CHUNK);
    finish();
    expect((await reader?.read())?.value).toBe(': a comment\r\n\r\ndata: [DONE]\n\n');
  });

  it.each([false, true])('ends the request there when the caller hangs up (stream: %s)', async (stream) => {
    const hangUp = new AbortController();
    const ended = new Promise<void>((resolve) => {
      upstream.behave = (response) => {
        response.once('close', resolve);
        if (stream) response.setHeader('content-type', 'text/event-stream').write(CHUNK);
        else hangUp.abort();
      };
    });
    const asked = client.chat.completions.create(
      { model: 'svc/llama@1', messages, stream },
      { signal: hangUp.signal },
    );
    if (stream) {
      await asked;
      hangUp.abort();
    } else await expect(asked).rejects.toThrow(/abort/i);
    await ended;
  });

  it('slows the upstream down to the pace of the caller', async () => {
    const line = `data: ${'x'.repeat(65_536)}\n\n`;
    let written = 0;
    upstream.behave = (response) => {
      response.setHeader('content-type', 'text/event-stream');
      const write = () => {
        while (written < 512) {
          written++;
          if (!response.write(line)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    };
    const response = await post({ stream: true });
    // Other requests go their way while nobody reads this one, and most of it is still not written.
    for (let count = 0; count < 20; count++) await fetch(`${app.url}/health/live`);
    expect(written).toBeLessThan(256);
    expect((await response.arrayBuffer()).byteLength).toBe(512 * line.length);
  });

  it('says what is wrong when the upstream is silent', async () => {
    upstream.behave = () => {};
    await expect(create(clientOf(impatient))).rejects.toMatchObject({
      status: 504,
      code: 'upstream_timeout',
      type: 'server_error',
    });
  });

  it.each<[string, Behaviour, object]>([
    ['cut off', (response) => response.destroy(), { status: 502, code: 'upstream_unreachable' }],
    [
      'broken',
      (response) => response.writeHead(500).end('stack trace'),
      { status: 500, code: 'upstream_failed' },
    ],
    ['locked', (response) => response.writeHead(401).end('{}'), { status: 500, code: 'upstream_failed' }],
    ['elsewhere', (response) => response.writeHead(302, { location: '/x' }).end(), { status: 500 }],
    [
      'busy',
      (response) => response.writeHead(429, { 'retry-after': '3' }).end('{"error":{"message":"Busy"}}'),
      { status: 429, code: 'rate_limit_exceeded', message: '429 Busy' },
    ],
  ])('says what is wrong when the upstream is %s', async (_, behaviour, expected) => {
    upstream.behave = behaviour;
    await expect(create()).rejects.toMatchObject(expected);
  });

  it('breaks off a stream that the upstream breaks off, or lets hang', async () => {
    for (const [node, ending] of [
      [app, (response: ServerResponse) => response.destroy()],
      [impatient, () => {}],
    ] as const) {
      upstream.behave = (response) => {
        response.setHeader('content-type', 'text/event-stream').write(CHUNK, () => ending(response));
      };
      const response = await post({ stream: true }, node);
      await expect(response.text()).rejects.toThrow();
    }
  });

  it('does not ask the upstream about a model that is not its own', async () => {
    await expect(client.chat.completions.create({ model: 'llama', messages })).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('readiness with an upstream', () => {
  it('follows the upstream', async () => {
    const upstream = new Upstream();
    const app = await runApp({ UPSTREAM_URL: await upstream.start(), UPSTREAM_MODEL: 'llama' });
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(200);
    await upstream.stop();
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(503);
    const refused = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages }),
    });
    expect(refused.status).toBe(502);
    await app.close();
  });

  it('is there while all places are taken', async () => {
    const upstream = new Upstream();
    const settings = { UPSTREAM_URL: await upstream.start(), UPSTREAM_MODEL: 'llama' };
    const app = await runApp({ ...settings, PROVIDER_MAX_CONCURRENT: '1' });
    const ask = () =>
      fetch(`${app.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages, stream: true }),
      });
    let finish = () => {};
    upstream.behave = (response) => {
      response.setHeader('content-type', 'text/event-stream').write(CHUNK);
      finish = () => response.end('data: [DONE]\n\n');
    };
    const underWay = await ask();
    expect((await ask()).status).toBe(429);
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(200);
    finish();
    await underWay.text();
    await app.close();
    await upstream.stop();
  });
});
