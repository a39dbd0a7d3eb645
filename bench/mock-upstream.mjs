// A provider that does no work, so that what is measured is the marketplace. It speaks HTTP on the socket itself, with replies made
// beforehand. What it answers is said by a mark in the request's last message:
//   [bench plain MS]           a reply of about 600 bytes, MS milliseconds after the request
//   [bench stream CHUNKS MS]   a stream of so many small chunks, one every MS milliseconds; all at once with 0
// A request without a mark is not the bench's: a certification's or a canary's, which goes on to the honest engine given by
// `--engine URL`. With `--faults` half of the bench's requests fail, in every way in turn that a provider fails before its first token.
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ProviderFaults } from './provider-faults.mjs';

const usage = { prompt_tokens: 20, completion_tokens: 50, total_tokens: 70 };
const text = 'A ledger is a record of what moved, and between whom. '.repeat(6).slice(0, 330);
const JSON_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

const withLength = (body) =>
  Buffer.from(`${JSON_HEAD}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
const framed = (bytes) => `${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`;

const PLAIN = withLength(
  JSON.stringify({
    id: 'chatcmpl-mock',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'mock',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage,
  }),
);
const MODEL_LIST = withLength('{"object":"list","data":[]}');

const event = (choices, extra = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-mock', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'mock', choices, ...extra })}\n\n`;
const delta = (content, finish_reason = null) => event([{ index: 0, delta: { content }, finish_reason }]);
const FIRST = framed(event([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]));
const contentOf = (index) => framed(delta(`word${index} `));
const endOf = (chunks) => {
  const counted = { ...usage, completion_tokens: chunks, total_tokens: usage.prompt_tokens + chunks };
  const finish = event([{ index: 0, delta: {}, finish_reason: 'stop' }]);
  return `${framed(finish)}${framed(event([], { usage: counted }))}${framed('data: [DONE]\n\n')}0\r\n\r\n`;
};

const streams = new Map();
/** The parts of a stream of so many chunks: its beginning, its chunks, its end, and all of it. */
function streamOf(chunks) {
  let parts = streams.get(chunks);
  if (!parts) {
    const contents = Array.from({ length: chunks }, (_, index) => Buffer.from(contentOf(index), 'latin1'));
    const [begin, end] = [Buffer.from(STREAM_HEAD + FIRST, 'latin1'), Buffer.from(endOf(chunks), 'latin1')];
    streams.set(chunks, (parts = { begin, contents, end, whole: Buffer.concat([begin, ...contents, end]) }));
  }
  return parts;
}

const MARK = /\[bench (plain|stream) (\d+) ?(\d*)\]/;

/** What the request's mark asks for; undefined without one. */
function markOf(body) {
  const at = body.lastIndexOf('[bench ');
  if (at < 0) return undefined;
  const [, kind, first, second] = MARK.exec(body.slice(at, at + 40)) ?? [];
  return kind && { kind, numbers: [Number(first), Number(second)] };
}

function answer(socket, { kind, numbers: [first, everyMs] }) {
  if (kind === 'plain') {
    if (first === 0) return socket.write(PLAIN);
    return setTimeout(() => socket.writable && socket.write(PLAIN), first);
  }
  const { begin, contents, end, whole } = streamOf(first);
  if (everyMs === 0) return socket.write(whole);
  socket.write(begin);
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < contents.length && socket.writable) return socket.write(contents[sent++]);
    clearInterval(timer);
    if (socket.writable) socket.write(end);
  }, everyMs);
}

/** Passes a request on to the engine, and the reply back; who hangs up here hangs up there. */
function forward(socket, { method, path, body }, engine) {
  const url = new URL(path, engine);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body, 'latin1') };
  const outgoing = httpRequest(url, { method, headers: method === 'GET' ? {} : headers }, (reply) => {
    const type = reply.headers['content-type'] ?? 'application/json';
    socket.write(
      `HTTP/1.1 ${reply.statusCode} Engine\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    reply.on('data', (data) => {
      socket.write(`${data.length.toString(16)}\r\n`);
      socket.write(data);
      socket.write('\r\n');
    });
    reply.on('end', () => socket.write('0\r\n\r\n'));
  });
  const hangUp = () => outgoing.destroy();
  outgoing.on('error', () => socket.destroy());
  outgoing.on('close', () => socket.removeListener('close', hangUp));
  socket.once('close', hangUp);
  outgoing.end(method === 'GET' ? undefined : Buffer.from(body, 'latin1'));
}

/** Calls back with each whole request of a connection: method, path and the body, byte by byte in a string. */
function readRequests(socket, onRequest) {
  let got = '';
  let wanted = 0;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (data) => {
    got += data.latin1Slice();
    if (got.length < wanted) return;
    for (;;) {
      const head = got.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(got.slice(0, head))?.[1] ?? 0);
      wanted = head + 4 + length;
      if (got.length < wanted) return;
      const [method, path] = got.slice(0, got.indexOf('\r\n')).split(' ', 2);
      const body = got.slice(head + 4, wanted);
      got = got.slice(wanted);
      wanted = 0;
      onRequest({ method, path, body });
    }
  });
}

/**
 * Listens on a free loopback port; resolves with its base URL.
 * @param engine base URL of the engine that answers what is not the bench's
 * @param faulty half of the bench's requests fail
 */
async function startMockUpstream({ engine, faulty = false } = {}) {
  const server = createServer();
  const faults = faulty ? new ProviderFaults(server) : undefined;
  server.on('connection', (socket) => {
    readRequests(socket, (request) => {
      const mark = markOf(request.body);
      if (mark) {
        if (faults?.spoils(socket, mark.kind)) return;
        return answer(socket, mark);
      }
      if (engine) return forward(socket, request, engine);
      socket.write(MODEL_LIST);
    });
  });
  await new Promise((listening) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, listening));
  return { server, url: `http://127.0.0.1:${server.address().port}/v1` };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: { engine: { type: 'string' }, faults: { type: 'boolean', default: false } },
  });
  const { url } = await startMockUpstream({ engine: values.engine, faulty: values.faults });
  // It ends with whoever started it, however that ends.
  process.stdin.on('end', () => process.exit()).resume();
  console.log(url);
}
