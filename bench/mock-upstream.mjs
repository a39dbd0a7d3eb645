// A provider that does no work, so that what is measured is the marketplace: fixed replies of about 600 bytes, and
// streams of 50 small chunks, without delay ("burst") or with one every 10 ms ("paced"; ask with temperature 1).
// Such a server is not certified. `POST /stand-in?for=URL` has it pass everything on to an honest one, `POST /stand-in` ends that.
import { createServer, request as httpRequest } from 'node:http';
import { pathToFileURL } from 'node:url';

const CHUNKS = 50;
const PACE_MS = 10;
const usage = { prompt_tokens: 20, completion_tokens: 50, total_tokens: 70 };
const text = 'A ledger is a record of what moved, and between whom. '.repeat(6).slice(0, 330);

const plain = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-mock',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'mock',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage,
  }),
);

const event = (choices, extra = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-mock', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'mock', choices, ...extra })}\n\n`;
const delta = (content, finish_reason = null) => event([{ index: 0, delta: { content }, finish_reason }]);
const first = event([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
const contents = Array.from({ length: CHUNKS }, (_, index) => delta(`word${index} `));
const last =
  event([{ index: 0, delta: {}, finish_reason: 'stop' }]) + event([], { usage }) + 'data: [DONE]\n\n';

function answer(request, response, body) {
  if (!body.includes('"stream":true')) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': plain.length });
    return response.end(plain);
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (!body.includes('"temperature":1')) {
    response.write(first);
    for (const chunk of contents) response.write(chunk);
    return response.end(last);
  }
  response.write(first);
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < CHUNKS) return response.write(contents[sent++]);
    clearInterval(timer);
    response.end(last);
  }, PACE_MS);
  response.on('close', () => clearInterval(timer));
}

/** Passes a request on, and the reply back; who hangs up here hangs up there. */
function forward(request, response, target) {
  const { method, headers, url } = request;
  const outgoing = httpRequest(new URL(url, target), { method, headers }, (reply) => {
    response.writeHead(reply.statusCode, reply.headers);
    reply.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  request.pipe(outgoing);
}

/** Listens on a free loopback port; resolves with the server and its base URL. */
export function startMockUpstream() {
  let standIn;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://mock');
    if (pathname === '/stand-in') {
      standIn = searchParams.get('for') ?? undefined;
      return response.end();
    }
    if (standIn) return forward(request, response, standIn);
    if (request.method !== 'POST') return response.end('{"object":"list","data":[]}');
    let body = '';
    request.setEncoding('latin1');
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => answer(request, response, body));
  });
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({ server, url: `http://127.0.0.1:${server.address().port}/v1` }),
    );
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await startMockUpstream();
  console.log(url);
}
