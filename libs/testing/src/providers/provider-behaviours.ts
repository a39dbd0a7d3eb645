import { randomBytes } from 'node:crypto';
import type { ProviderExchange } from './provider-exchange';
import { DONE_FRAME, chunkFrame, usageOf } from './provider-reply';

type Behaviour = (exchange: ProviderExchange) => Promise<void> | void;

const MEBIBYTE = 1_048_576;
/** An endless stream ends here after all, should nobody stop it. */
const MOST_ENDLESS_BYTES = 256 * MEBIBYTE;

function error(
  exchange: ProviderExchange,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify({ error: { message, type: 'server_error', param: null, code: null } });
  exchange.response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** Sends the first parts of a reply: all but the last three events, or half of the document. */
async function begun(exchange: ProviderExchange): Promise<void> {
  const parts = exchange.parts();
  const document = parts.join('');
  exchange.begin();
  await exchange.write(
    exchange.stream ? parts.slice(0, -3).join('') : document.slice(0, document.length / 2),
  );
}

async function endless(exchange: ProviderExchange): Promise<void> {
  const part = exchange.stream ? chunkFrame({ content: ' and on' }).repeat(64) : 'and on '.repeat(1_024);
  exchange.begin();
  if (!exchange.stream) await exchange.write('{"id":"');
  for (let sent = 0; sent < MOST_ENDLESS_BYTES && !exchange.hungUp; sent += part.length)
    await exchange.write(part);
  exchange.response.end();
}

async function splitBytes(exchange: ProviderExchange): Promise<void> {
  const bytes = Buffer.from(exchange.parts().join(''));
  exchange.begin();
  for (let at = 0; at < bytes.length; at++) await exchange.write(bytes.subarray(at, at + 1));
  exchange.response.end();
}

async function trickle(exchange: ProviderExchange): Promise<void> {
  const parts = exchange.stream
    ? exchange.parts()
    : exchange
        .parts()
        .join('')
        .match(/.{1,40}/gsu);
  exchange.begin();
  for (const part of parts ?? []) {
    if (exchange.hungUp) return;
    await exchange.write(part);
    await exchange.pause();
  }
  exchange.response.end();
}

async function cut(exchange: ProviderExchange): Promise<void> {
  const bytes = Buffer.from(exchange.parts().join(''));
  exchange.begin();
  await exchange.write(bytes.subarray(0, exchange.options.cutAfterBytes ?? Math.floor(bytes.length / 2)));
  exchange.break('end');
}

/** How a test provider answers, by name. All of them know plain and streamed requests. */
export const PROVIDER_BEHAVIOURS = {
  /** Answers rightly. */
  ok: (exchange) => exchange.send(),
  /** Calls the first tool that is offered, rightly. */
  'ok-tool-call': (exchange) => exchange.send(exchange.parts(exchange.callReply('{"city":"Paris"}'))),
  /** Calls a tool, rightly, with a document of a mebibyte. */
  'tool-arguments-megabyte': (exchange) =>
    exchange.send(exchange.parts(exchange.callReply(JSON.stringify({ city: 'x'.repeat(MEBIBYTE) })))),

  /** Resets the connection when the request has come. */
  reset: (exchange) => exchange.break('reset'),
  /** Never says anything. */
  'hang-before-headers': () => {},
  /** Sends status 200 and its headers, then nothing. */
  'hang-before-first-token': (exchange) => exchange.begin(),
  /** Begins the answer and then says nothing more. */
  'stall-mid-stream': begun,
  /** Sends `cutAfterBytes` of the body and closes the connection. */
  cut,
  /** Sends parts with `pauseMs` between them, to the right end. */
  trickle,
  /** Never comes to an end. */
  endless,

  /** Ends without saying why: no `finish_reason` in the stream, null in the document. */
  'no-finish-reason': (exchange) => exchange.send(exchange.parts({ ...exchange.reply, finishReason: null })),
  /** Ends the stream rightly but for `[DONE]`; a plain answer is right. */
  'no-done': (exchange) => exchange.send(exchange.parts().filter((part) => part !== DONE_FRAME)),

  'status-500': (exchange) => error(exchange, 500, 'The model crashed.'),
  /** 429 with `Retry-After`. */
  'status-429': (exchange) =>
    error(exchange, 429, 'Too many requests.', { 'retry-after': String(exchange.options.retryAfterSeconds) }),
  /** 307 to another place on the same server. */
  redirect: (exchange) => {
    exchange.response.writeHead(307, { location: '/elsewhere' }).end();
  },
  /** Status 200 with an error as the body, or as the only event. */
  'error-in-200': (exchange) => {
    const body = JSON.stringify({ error: { message: 'Out of memory.', type: 'server_error', code: null } });
    exchange.send(exchange.stream ? [`data: ${body}\n\n`, DONE_FRAME] : [body]);
  },
  html: (exchange) => exchange.send(['<!doctype html><title>It works!</title>'], 'text/html; charset=utf-8'),
  /** Bytes that are neither UTF-8 nor JSON, under the right content type. */
  garbage: (exchange) => {
    exchange.begin();
    exchange.response.end(Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), randomBytes(509)]));
  },
  /** The right body as text/plain. */
  'wrong-content-type': (exchange) => exchange.send(exchange.parts(), 'text/plain'),

  /** Calls a tool with arguments that are no JSON. */
  'tool-arguments-broken': (exchange) => exchange.send(exchange.parts(exchange.callReply('{"city": "Par'))),
  /** Calls a tool with arguments that are JSON but no object. */
  'tool-arguments-array': (exchange) => exchange.send(exchange.parts(exchange.callReply('["Paris"]'))),
  /** Calls a tool and does not say which. */
  'tool-without-name': (exchange) => exchange.send(exchange.parts(exchange.namelessCallReply())),
  /** Calls a tool that nobody offered. */
  'tool-unknown': (exchange) => exchange.send(exchange.parts(exchange.callReply('{}', 'launch_missiles'))),

  /** Claims ten million tokens for a few words. */
  'usage-huge': (exchange) =>
    exchange.send(exchange.parts({ ...exchange.reply, usage: usageOf(10_000_000, 10_000_000) })),
  /** Says nothing of usage, asked or not. */
  'usage-missing': (exchange) => exchange.send(exchange.parts({ ...exchange.reply, usage: undefined })),

  /** The right answer, one byte at a time: characters and lines arrive in pieces. */
  'split-bytes': splitBytes,
  /** The right answer with CRLF line ends. */
  crlf: (exchange) => exchange.send(exchange.parts().map((part) => part.replaceAll('\n', '\r\n'))),
  /** The right answer with comments and unknown fields between its events; a plain answer is as ever. */
  comments: (exchange) =>
    exchange.send(
      exchange.stream
        ? exchange.parts().map((part) => `: keep-alive\n\nid: 7\nretry: 10\n${part}`)
        : exchange.parts(),
    ),
} as const satisfies Record<string, Behaviour>;
