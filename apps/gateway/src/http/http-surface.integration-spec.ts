import { connect } from 'node:net';
import type * as Timers from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '@svc/testing';
import { demoModel, toollessModel } from '../testing/models.for-spec';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';
import { MetricsListener } from './metrics-listener';
import { leaveClients } from './leave-clients';

const harness = new GatewayHarness();
beforeAll(() => harness.start());
afterAll(() => harness.stop());

async function errorOf(reply: Response): Promise<unknown> {
  const { error } = (await reply.json()) as { error: { code: string; type: string; param: string | null } };
  return [reply.status, error.code, error.type, error.param];
}

/** What is logged of a request: support finds it by the id that its client was told. */
async function loggedAs(requestId: string | undefined, status: number): Promise<unknown> {
  const line = await eventually(() => harness.logLines.find((each) => each.includes(`"${requestId}"`)));
  const logged: unknown = JSON.parse(line);
  expect(logged).toMatchObject({ msg: 'request', status, code: 'invalid_request' });
  return logged;
}

/** Writes bytes as they are and reads until the server closes. */
function exchange(text: string): Promise<string> {
  const { hostname, port } = new URL(harness.url);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('close', () => resolve(received));
    socket.on('error', () => undefined);
  });
}

describe('the models', () => {
  const card = {
    id: 'svc/demo@1',
    object: 'model',
    created: demoModel.created,
    owned_by: 'svc',
    svc: {
      contextLimit: 32_768,
      capabilities: demoModel.capabilities,
      pricing: { input_price_per_mtok: '100000', output_price_per_mtok: '400000' },
      tool_contract: demoModel.toolContract,
    },
  };
  const plainCard = {
    id: 'svc/plain@1',
    object: 'model',
    created: toollessModel.created,
    owned_by: 'svc',
    svc: { contextLimit: 4_096, capabilities: toollessModel.capabilities },
  };

  it('are listed without a key, from memory', async () => {
    // In the coding that it has from the first: the others are made beside, and may come between the two requests.
    const headers = { 'accept-encoding': 'identity' };
    const reply = await fetch(`${harness.url}/v1/models`, { headers });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('x-svc-request-id')).toMatch(/^req_/);
    expect(await reply.json()).toEqual({ object: 'list', data: [card, plainCard] });
    const etag = reply.headers.get('etag') ?? '';
    const again = await fetch(`${harness.url}/v1/models`, { headers: { ...headers, 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it('are shown one by one, by raw and encoded id', async () => {
    for (const path of ['svc/demo@1', 'svc%2Fdemo%401', 'svc/demo%401', 'svc%2fdemo@1?x=1']) {
      const reply = await fetch(`${harness.url}/v1/models/${path}`);
      expect(await reply.json()).toEqual(card);
    }
    const encodedPrefix = await fetch(`${harness.url}/v1/%6dodels/svc%2Fdemo%401`);
    expect(await encodedPrefix.json()).toEqual(card);
    const absolute = await exchange(
      'GET http://svc.example/v1/models/svc%2Fdemo%401 HTTP/1.1\r\nhost: svc.example\r\nconnection: close\r\n\r\n',
    );
    expect(absolute).toContain(JSON.stringify(card));
    const head = await fetch(`${harness.url}/v1/models/svc/demo@1`, { method: 'HEAD' });
    expect(head.status).toBe(200);
  });

  it.each(['GET', 'HEAD'])(
    'are told to be unchanged without a length that they do not have: %s',
    async (method) => {
      const url = `${harness.url}/v1/models/svc/demo@1`;
      const etag = (await fetch(url)).headers.get('etag') ?? '';
      const { status, headers } = await fetch(url, { method, headers: { 'if-none-match': etag } });
      expect([status, headers.get('content-length'), headers.get('etag')]).toEqual([304, null, etag]);
      expect(headers.get('cache-control')).toBe('public, no-cache');
      expect(headers.get('x-svc-request-id')).toMatch(/^req_/);
    },
  );

  it('are not found when they are not there', async () => {
    for (const path of ['svc/none@1', 'x', 'svc%2F%2E%2E', 'constructor', '__proto__']) {
      const reply = await fetch(`${harness.url}/v1/models/${path}`);
      expect(await errorOf(reply)).toEqual([404, 'model_not_found', 'invalid_request_error', 'model']);
    }
  });

  it('change when the catalogue does', async () => {
    const before = await fetch(`${harness.url}/v1/models`);
    await harness.publishModels([{ ...toollessModel, pricing: demoModel.pricing }]);
    await eventually(async () => {
      const reply = await fetch(`${harness.url}/v1/models/svc/plain@1`);
      expect(await reply.json()).toEqual({
        ...plainCard,
        svc: { ...plainCard.svc, pricing: card.svc.pricing },
      });
      return true;
    });
    await eventually(async () => {
      const after = await fetch(`${harness.url}/v1/models`);
      expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
      expect(await after.text()).toContain('"pricing"');
      return true;
    });
  });
});

describe('what is no request of ours', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['POST', '/v1/completions'],
    ['POST', '/v1/chat/completions/'],
    ['DELETE', '/nothing'],
    ['GET', '/v1/offers/ofr_1'],
    ['GET', '/v1/providers/0x1/x'],
    ['GET', '/v1/receipts/req_1/x'],
  ])('%s %s is not there', async (method, path) => {
    const reply = await fetch(`${harness.url}${path}`, { method });
    expect(await errorOf(reply)).toEqual([404, 'invalid_request', 'invalid_request_error', null]);
    expect(reply.headers.get('x-svc-request-id')).toMatch(/^req_/);
    expect(reply.headers.get('x-should-retry')).toBe('false');
  });

  it.each([
    ['a base URL without /v1', '/chat/completions'],
    ['a client of the Responses API', '/v1/responses'],
  ])('%s is told where chat completions are', async (_, path) => {
    const reply = await fetch(`${harness.url}${path}`, { method: 'POST' });
    const { error } = (await reply.json()) as { error: { message: string } };
    expect(error.message).toContain('POST /v1/chat/completions');
  });

  it.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['PUT', '/v1/chat/completions?x=1', 'POST'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['DELETE', '/v1/models/svc/demo@1', 'GET, HEAD'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['POST', '/v1/key', 'GET, HEAD'],
    ['DELETE', '/v1/receipts/req_1', 'GET, HEAD'],
    ['GET', '/v1/offers', 'POST'],
    ['GET', '/v1/providers', 'POST'],
    ['PUT', '/v1/offers/ofr_1/withdraw', 'POST'],
    ['POST', '/v1/providers/0x1/earnings', 'GET, HEAD'],
    ['DELETE', '/v1/certifications/crt_1', 'GET, HEAD'],
    ['QUERY', '/v1/models', 'GET, HEAD'],
    ['QUERY', '/v1/chat/completions', 'POST'],
  ])('%s %s names the methods allowed', async (method, path, allow) => {
    const init =
      method === 'GET' ? { method } : { method, body: '{', headers: { 'content-type': 'text/plain' } };
    const reply = await fetch(`${harness.url}${path}`, init);
    expect(await errorOf(reply)).toEqual([405, 'invalid_request', 'invalid_request_error', null]);
    expect(reply.headers.get('allow')).toBe(allow);
  });

  it.each(['', 'content-type: application/json\r\ncontent-length: 2\r\n'])(
    'QUERY is told from an unknown path, with a body (%j) or without',
    async (fields) => {
      const asked = (path: string) =>
        exchange(`QUERY ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${fields}\r\n${fields && '{}'}`);
      expect(await asked('/v1/models')).toMatch(/^HTTP\/1.1 405 .*takes GET, HEAD only/s);
      expect(await asked('/v1/nowhere')).toMatch(/^HTTP\/1.1 404 .*nothing at this path/s);
    },
  );

  it('HEAD of completions is refused as GET is, without a body', async () => {
    const reply = await fetch(`${harness.url}/v1/chat/completions`, { method: 'HEAD' });
    expect([reply.status, reply.headers.get('allow'), await reply.text()]).toEqual([405, 'POST', '']);
  });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['headers too large', `GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'more headers than are read',
      `GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${'x-more: 1\r\n'.repeat(99)}\r\n`,
      431,
    ],
    ['a request without a host', 'GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    [
      'a request with two hosts',
      'GET /v1/models HTTP/1.1\r\nhost: x\r\nHost: y\r\nconnection: close\r\n\r\n',
      400,
    ],
  ])('%s is answered in our words', async (_, text, status) => {
    const received = await exchange(text);
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [, requestId] = /x-svc-request-id: (req_\w+)/.exec(received) ?? [];
    expect(received).toContain(`\r\nx-request-id: ${requestId}\r\n`);
    expect(received).toMatch(/"code":"invalid_request"/);
    await loggedAs(requestId, status);
  });

  it('a body that breaks off is answered as its request', async () => {
    const received = await exchange(
      'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
        `authorization: Bearer ${harness.apiKey}\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\nno size\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1.1 400 .*"code":"invalid_request"/s);
    expect(received).toContain('\r\naccess-control-allow-origin: *\r\n');
    expect(received.toLowerCase()).toContain('\r\nconnection: close\r\n');
    const [, requestId] = /x-svc-request-id: (req_\w+)/.exec(received) ?? [];
    expect(await loggedAs(requestId, 400)).toMatchObject({ method: 'POST', route: 'chat_completions' });
  });

  it.each([
    ['expects what nobody knows', 'HTTP/1.1\r\nhost: x\r\nexpect: a-wonder'],
    ['is of HTTP/1.0 and has no host', 'HTTP/1.0'],
    ['has as many headers as are read', `HTTP/1.1\r\nhost: x${'\r\nx-more: 1'.repeat(98)}`],
  ])('is not whatever %s', async (_, rest) => {
    const received = await exchange(`GET /v1/models/svc/demo@1 ${rest}\r\nconnection: close\r\n\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 200 .*"id":"svc\/demo@1"/s);
  });

  it('is answered behind a reply that has begun, which is sent to its end', async () => {
    const body = JSON.stringify({
      model: 'svc/demo@1',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    });
    const { hostname, port } = new URL(harness.url);
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${harness.apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const run = await harness.dispatch.nextRun();
    run.send('data', 'data: 1\n\n');
    await eventually(() => received.includes('data: 1'));
    socket.write('}\r\n\r\n');
    await harness.settled();
    run.send('end', 'data: [DONE]\n\n');
    await eventually(() => socket.closed);
    expect(received).toMatch(/data: 1\n\n.*\[DONE\].*\r\n0\r\n\r\nHTTP\/1\.1 400 .*invalid_request/s);
    expect(harness.dispatch.cancels).not.toContain(run.request.requestId);
  });

  it.each([
    ['a broken URL', 'GET /v1/models/%zz', 400],
    ['a broken URL with a method that no route takes', 'PURGE /v1/models/%zz', 400],
    ['a part of a URL that is too long', `GET /v1/receipts/${'x'.repeat(600)}`, 414],
  ])('%s is answered in our words', async (_, line, status) => {
    const received = await exchange(`${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [, requestId] = /x-svc-request-id: (req_\w+)/.exec(received) ?? [];
    expect(received).toContain(`\r\nx-request-id: ${requestId}\r\n`);
    expect(received).toMatch(/"code":"invalid_request"/);
    // As every other request of its path.
    expect(received).toContain('\r\naccess-control-allow-origin: *\r\n');
    expect(received).toContain('\r\nx-content-type-options: nosniff\r\n');
    await loggedAs(requestId, status);
  });
});

describe('pages of other origins', () => {
  it('may call', async () => {
    const headers = {
      origin: 'https://example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-os',
    };
    const preflight = await fetch(`${harness.url}/v1/chat/completions`, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-stainless-os');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    const reply = await fetch(`${harness.url}/v1/models`, { headers: { origin: 'https://example.com' } });
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = reply.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['x-svc-request-id', 'x-request-id']));
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
    const refused = await harness.post({});
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('may read what is said of a base URL without /v1', async () => {
    const preflight = await fetch(`${harness.url}/chat/completions`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const lost = await fetch(`${harness.url}/models`);
    expect([lost.status, lost.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
  });

  it.each(['//v1', '/v1/'])('may call by a base URL that a slash too many makes %s', async (base) => {
    const preflight = await fetch(`${harness.url}${base}/chat/completions`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const models = await fetch(`${harness.url}${base}/models`);
    expect([models.status, models.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const refused = await fetch(`${harness.url}${base}/chat/completions`, { method: 'PUT' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each(['http://other.example', 'HTTPS://user@other.example:1'])(
    'may name the service in full, as %s, with slashes too many: it is answered here, whichever host that is',
    async (origin) => {
      const answer = (method: string, path: string, headers = '') =>
        exchange(
          `${method} ${origin}${path} HTTP/1.1\r\nhost: svc.example\r\n${headers}connection: close\r\n\r\n`,
        );
      const any = /^access-control-allow-origin: \*\r$/im;
      for (const path of ['/v1/models', '//v1/models', '/v1//models?x=//']) {
        const models = await answer('GET', path);
        expect([models.slice(0, 15), any.test(models)]).toEqual(['HTTP/1.1 200 OK', true]);
      }
      const preflight = await answer('OPTIONS', '//v1/chat/completions');
      expect([preflight.slice(0, 12), any.test(preflight)]).toEqual(['HTTP/1.1 204', true]);
      const refused = await answer('PUT', '//v1/chat/completions');
      expect([refused.slice(0, 12), /^allow: POST\r$/im.test(refused)]).toEqual(['HTTP/1.1 405', true]);
      const asked = await answer('POST', '//v1/chat/completions', 'content-length: 0\r\n');
      expect(asked).toContain('"code":"invalid_api_key"');
      expect(await answer('GET', '//health/live')).toContain('HTTP/1.1 200 OK');
      expect(await answer('GET', '?x=/v1/models')).toContain('HTTP/1.1 404');
    },
  );

  it('may read the description', async () => {
    // Whether it is served is said elsewhere: here nobody serves it.
    const description = await fetch(`${harness.url}/docs/openapi.json`);
    expect(description.headers.get('access-control-allow-origin')).toBe('*');
    const page = await fetch(`${harness.url}/docs`);
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('slow and greedy clients', () => {
  it('find limits', () => {
    expect(harness.app.getHttpServer()).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 72_000,
      maxHeadersCount: 100,
      maxConnections: 20_000,
    });
  });
});

describe('operators', () => {
  it('see health in the shape they know, and metrics', async () => {
    const ready = await fetch(`${harness.url}/health/ready`);
    expect(await ready.json()).toMatchObject({
      status: 'ok',
      details: { nats: { status: 'up' }, models: { status: 'up', detail: 'loaded' } },
    });
    await harness.post({});
    const metrics = await (await fetch(`${harness.url}/metrics`)).text();
    expect(metrics).toMatch(
      /svc_gateway_requests_total\{route="chat_completions",code="invalid_request",.*\} \d/,
    );
    expect(metrics).toMatch(/svc_gateway_request_duration_seconds_bucket/);
    expect(metrics).toMatch(/svc_gateway_active_runs\{kind="stream",.*\} 0/);
  });
});

describe('metrics on a port of their own', () => {
  const own = new GatewayHarness();
  beforeAll(() => own.start({ METRICS_PORT: '0' }));
  afterAll(() => own.stop());

  it('are not on the public one', async () => {
    const url = `http://127.0.0.1:${own.app.get(MetricsListener).port}`;
    const metrics = await fetch(`${url}/metrics`);
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain/) as string,
    ]);
    expect(await metrics.text()).toMatch(/svc_gateway_active_runs/);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await fetch(`${url}/v1/models`)).status).toBe(404);
    expect((await fetch(`${own.url}/metrics`)).status).toBe(404);
    expect((await fetch(`${own.url}/health/ready`)).status).toBe(200);
    await own.stopGateway();
    await expect(fetch(`${url}/metrics`)).rejects.toThrow();
  });
});

describe('shutdown', () => {
  const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }], stream: true };
  /** Nobody else waits for just as long: what waits again and again would do so without an end. */
  const LEAVE_MS = 1_234;

  afterEach(() => jest.restoreAllMocks());

  /** Has a gateway's time for leaving last until the spec says that it is over, however slow the machine is. */
  function holdLeaving(): { over: () => void } {
    const timers = jest.requireActual<typeof Timers>('node:timers/promises');
    const pause = timers.setTimeout;
    let over: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (over = resolve));
    jest
      .spyOn(timers, 'setTimeout')
      .mockImplementation((ms, ...more) => (ms === LEAVE_MS ? held : pause(ms, ...more)));
    return { over };
  }

  it('lets clients go before it closes: each is served, and finds its connection closed by the reply', async () => {
    const own = await new GatewayHarness().start({ SHUTDOWN_LEAVE_MS: String(LEAVE_MS) });
    const { hostname, port } = new URL(own.url);
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => received.includes('200 OK'));
    expect(received.toLowerCase()).toContain('connection: keep-alive');
    received = '';
    const leaving = holdLeaving();
    const left = leaveClients(own.app);
    expect((await fetch(`${own.url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${own.url}/v1/models`)).status).toBe(200);
    socket.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => socket.closed);
    expect(received).toMatch(/^HTTP\/1.1 200 OK/);
    expect(received.toLowerCase()).toContain('connection: close');
    leaving.over();
    await left;
    await expect(fetch(`${own.url}/v1/models`)).rejects.toThrow();
    await own.stop();
  });

  it('keeps its door open for the whole time, though nobody is connected', async () => {
    const own = await new GatewayHarness().start({ SHUTDOWN_LEAVE_MS: String(LEAVE_MS) });
    const server = own.app.getHttpServer();
    server.closeIdleConnections();
    const countConnections = promisify(server.getConnections.bind(server));
    await eventually(async () => (await countConnections()) === 0);
    const leaving = holdLeaving();
    const startedMs = performance.now();
    const left = leaveClients(own.app);
    // The first look of a balancer, which sent its requests elsewhere so far.
    await eventually(() => performance.now() - startedMs > 250);
    expect((await fetch(`${own.url}/health/ready`)).status).toBe(503);
    leaving.over();
    await left;
    await expect(fetch(`${own.url}/v1/models`)).rejects.toThrow();
    await own.stop();
  });

  it('finishes what is under way and sends new requests elsewhere', async () => {
    const own = await new GatewayHarness().start();
    const replied = own.post(request);
    const run = await own.dispatch.nextRun();
    run.send('data', 'data: 1\n\n');
    const reply = await replied;
    // A connection that is busy when the shutdown begins, and brings its next request then.
    const { hostname, port } = new URL(own.url);
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    const text = JSON.stringify({ ...request, stream: false });
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${own.apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    const other = await own.dispatch.nextRun();
    const server = own.app.getHttpServer();
    const stopped = own.stopGateway();
    await eventually(() => !server.listening);
    socket.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
    run.send('end', 'data: [DONE]\n\n');
    other.complete();
    expect(await reply.text()).toBe('data: 1\n\ndata: [DONE]\n\n');
    await eventually(() => socket.closed);
    expect(received).toMatch(/^HTTP\/1.1 200 OK.*"content":"Hi\.".*HTTP\/1.1 503 .*"code":"no_capacity"/s);
    expect(received.toLowerCase()).toMatch(/http\/1\.1 503 .*\r\nconnection: close\r\n/s);
    // It may stand under its Idempotency-Key as one that was charged.
    expect(received).not.toContain('Nothing was charged');
    await stopped;
    await eventually(() => own.dispatch.delivered.length === 2);
    await own.stop();
  });

  it('tells clients whose work does not end within the grace period', async () => {
    const own = await new GatewayHarness().start({ SHUTDOWN_GRACE_MS: '2050' });
    const replied = own.post(request);
    const run = await own.dispatch.nextRun();
    run.send('data', 'data: 1\n\n');
    const reply = await replied;
    const stopped = own.stopGateway();
    expect(await reply.text()).toMatch(/^data: 1\n\ndata: .*"code":"no_capacity".*data: \[DONE\]\n\n$/s);
    await stopped;
    const settlement = await eventually(() =>
      own.billing.settlements.get(`${run.request.requestId}:abandon`),
    );
    expect(settlement).toMatchObject({ outcome: 'abandon', reason: 'shutdown' });
    await own.stop();
  });
});
