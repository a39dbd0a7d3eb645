import { randomBytes } from 'node:crypto';
import type { Behaviour, ProviderExchange } from './provider-exchange';
import { DONE_FRAME, chunkFrame, plainBody, usageOf } from './provider-reply';
import { TOOL_BEHAVIOURS } from './tool-behaviours';

const MEBIBYTE = 1_048_576;
/** Enough for no event and no document. */
const FEW_BYTES = 20;
/** Signs of life end here after all, should nobody hang up. */
const MOST_SIGNS_OF_LIFE = 10_000;
/** An endless stream ends here after all, should nobody stop it. */
const MOST_ENDLESS_BYTES = 256 * MEBIBYTE;
/** Zero-width spaces: three bytes each. */
const PADDING = '\u200b'.repeat(1_000);

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

async function cutAfter(exchange: ProviderExchange, count?: number): Promise<void> {
  const bytes = Buffer.from(exchange.parts().join(''));
  exchange.begin();
  await exchange.write(bytes.subarray(0, count ?? Math.floor(bytes.length / 2)));
  exchange.break('end');
}

async function signsOfLife(exchange: ProviderExchange): Promise<void> {
  exchange.begin();
  for (let sent = 0; sent < MOST_SIGNS_OF_LIFE && !exchange.hungUp; sent++) {
    await exchange.write(exchange.stream ? ': keep-alive\n\n' : ' ');
    await exchange.pause();
  }
  exchange.response.end();
}

/** Says all of it but the end, a while later the end: by then the words have left. */
async function endsWith(exchange: ProviderExchange, ...ending: string[]): Promise<void> {
  exchange.begin();
  await exchange.write(
    exchange
      .parts({ ...exchange.reply, finishReason: null, usage: undefined })
      .slice(0, -1)
      .join(''),
  );
  await exchange.pause();
  for (const part of ending) await exchange.write(part);
  exchange.response.end();
}

/** The right document, or a stream with that ending. */
const streamEndsWith =
  (...ending: string[]): Behaviour =>
  (exchange) =>
    exchange.stream ? endsWith(exchange, ...ending, ...exchange.tail()) : exchange.send();

/** A character whose two halves come in two events. */
function splitCharacters(exchange: ProviderExchange): void {
  const halves = [...exchange.reply.text].flatMap((character) =>
    character.length === 2 ? [character.slice(0, 1), character.slice(1)] : [character],
  );
  const [role = '', ...rest] = exchange.parts();
  const ending = rest.slice(rest.findIndex((part) => part.includes('"stop"')));
  const words = halves.map((content) => chunkFrame({ content }));
  exchange.send(exchange.stream ? [role, ...words, ...ending] : exchange.parts());
}

/** How a test provider answers, by name. All of them know plain and streamed requests. */
export const PROVIDER_BEHAVIOURS = {
  /** Answers rightly. */
  ok: (exchange) => exchange.send(),
  /** Calls the first tool that is offered, rightly. */
  'ok-tool-call': (exchange) => exchange.send(exchange.parts(exchange.callReply('{"city":"Paris"}'))),

  /** Resets the connection when the request has come. */
  reset: (exchange) => exchange.break('reset'),
  /** Answers rightly, once a connection: resets it when another request comes over it, as where its time of being idle is over just then. */
  'reset-when-reused': (exchange) => (exchange.isFirst ? exchange.send() : exchange.break('reset')),
  /** Never says anything. */
  'hang-before-headers': () => {},
  /** Sends status 200 and its headers, then nothing. */
  'hang-before-first-token': (exchange) => exchange.begin(),
  /** Begins with a role, as servers do that have not read the prompt yet, and stays silent. */
  'hang-after-role': async (exchange) => {
    exchange.begin();
    if (exchange.stream) await exchange.write(exchange.parts()[0] ?? '');
  },
  /** Says every `pauseMs` that it is alive, with a comment or a space, and nothing else. */
  'signs-of-life': signsOfLife,
  /** Begins the answer and then says nothing more. */
  'stall-mid-stream': begun,
  /** Sends `cutAfterBytes` of the body and closes the connection. */
  cut: (exchange) => cutAfter(exchange, exchange.options.cutAfterBytes),
  /** Closes the connection within the first event. */
  'cut-early': (exchange) => cutAfter(exchange, FEW_BYTES),
  /** Sends parts with `pauseMs` between them, to the right end. */
  trickle,
  /** Never comes to an end. */
  endless,

  /** Ends without saying why: no `finish_reason` in the stream, null in the document. */
  'no-finish-reason': (exchange) =>
    exchange.stream
      ? endsWith(exchange, DONE_FRAME)
      : exchange.send([plainBody({ ...exchange.reply, finishReason: null })]),
  /** Says twice that it is done. */
  'duplicate-finish': streamEndsWith(chunkFrame({}, 'stop'), chunkFrame({}, 'stop')),
  /** Says that it is done, and then that it was cut short. */
  'contradicting-finish': streamEndsWith(chunkFrame({}, 'stop'), chunkFrame({}, 'length')),
  /** Goes on after it was done. */
  'words-after-finish': streamEndsWith(chunkFrame({}, 'stop'), chunkFrame({ content: ' PS' })),
  /** Ends for a reason that there is not. */
  'unknown-finish-reason': (exchange) =>
    exchange.stream
      ? endsWith(exchange, chunkFrame({}, 'tired'), DONE_FRAME)
      : exchange.send([plainBody({ ...exchange.reply, finishReason: 'tired' })]),
  /** Says of each chunk, and of the document, that the turn ends: xAI documents it so. */
  'end-turn': (exchange) =>
    exchange.send(
      exchange
        .parts()
        .map((part) => part.replace(/"finish_reason":(null|"stop")/, '"finish_reason":"end_turn"')),
    ),
  /** Speaks as the user. */
  'wrong-role': (exchange) =>
    exchange.send(exchange.parts().map((part) => part.replace('"assistant"', '"user"'))),
  /** Ends the stream rightly but for `[DONE]`; a plain answer is right. */
  'no-done': (exchange) => exchange.send(exchange.parts().filter((part) => part !== DONE_FRAME)),

  'status-500': (exchange) => error(exchange, 500, 'The model crashed.'),
  /** 429 with `Retry-After`. */
  'status-429': (exchange) =>
    error(exchange, 429, 'Too many requests.', { 'retry-after': String(exchange.options.retryAfterSeconds) }),
  /** 429 that does not say when to come back. */
  'status-429-bare': (exchange) => error(exchange, 429, 'Too many requests.'),
  /** 503 with `Retry-After`. */
  'status-503': (exchange) =>
    error(exchange, 503, 'Loading the model.', { 'retry-after': String(exchange.options.retryAfterSeconds) }),
  /** 400: says that the request is wrong. */
  'status-400': (exchange) => error(exchange, 400, 'Unknown field.'),
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

  ...TOOL_BEHAVIOURS,

  /** Claims ten million tokens for a few words. */
  'usage-huge': (exchange) =>
    exchange.send(exchange.parts({ ...exchange.reply, usage: usageOf(10_000_000, 10_000_000) })),
  /** Puts what nobody sees behind its words, and claims a token for each. */
  'usage-padded': (exchange) => {
    const { text, usage: honest } = exchange.reply;
    const usage = usageOf(honest?.prompt_tokens ?? 0, text.length + PADDING.length);
    exchange.send(exchange.parts({ ...exchange.reply, text: text + PADDING, usage }));
  },
  /** Says nothing of usage, asked or not. */
  'usage-missing': (exchange) => exchange.send(exchange.parts({ ...exchange.reply, usage: undefined })),

  /** The right answer, one byte at a time: characters and lines arrive in pieces. */
  'split-bytes': splitBytes,
  /** The right answer; where a character has two halves (UTF-16), each comes in an event of its own. */
  'split-characters': splitCharacters,
  /** The right answer with CRLF line ends. */
  crlf: (exchange) => exchange.send(exchange.parts().map((part) => part.replaceAll('\n', '\r\n'))),
  /** The right answer with comments and unknown fields between its events; a plain answer is as ever. */
  comments: (exchange) =>
    exchange.send(
      exchange.stream
        ? exchange.parts().map((part) => `: keep-alive\n\nid: 7\nretry: 10\n${part}`)
        : exchange.parts(),
    ),
  /** The right answer with pings between its events, as Anthropic's, and null; a plain answer is as ever. */
  pings: (exchange) =>
    exchange.send(
      exchange.stream
        ? exchange.parts().map((part) => `data: {"type": "ping"}\n\ndata: null\n\n${part}`)
        : exchange.parts(),
    ),
} as const satisfies Record<string, Behaviour>;
