import { readStream } from '../exchange/event-stream';
import type { Exchange } from '../exchange/exchange';
import { mustRefuse } from '../shape/refusal';
import { amount, chunk, requestId, serviceReply, usage } from '../shape/reply-shapes';
import { absent, ensure, equal, must, nothing, object, optional, text, textLike } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Conversation } from '../suite/conversation';
import { choicesOf, contentChunksOf, lastOf } from './stream-parts';

type Look = (exchange: Exchange, conversation: Conversation) => void;

/** What holds of every stream, whatever was asked for. */
const ALWAYS: readonly [string, Look][] = [
  [
    'a stream is text/event-stream, in lines of data: <chunk>',
    (exchange) => {
      must(
        exchange.header('content-type'),
        textLike(/^text\/event-stream\b/, 'text/event-stream'),
        'content-type',
      );
      const { strayLines } = readStream(exchange);
      ensure(strayLines.length === 0, `neither data nor a comment: ${strayLines[0]}`);
    },
  ],
  [
    'a stream ends with data: [DONE], once, and nothing after it',
    (exchange) => {
      const { done, afterDone } = readStream(exchange);
      ensure(done, 'data: [DONE] is missing');
      ensure(afterDone === 0, `${afterDone} events after data: [DONE]`);
    },
  ],
  [
    'every chunk has the shape of a chunk',
    (exchange) => readStream(exchange).chunks.forEach((each, at) => must(each, chunk, `chunk ${at + 1}`)),
  ],
  [
    'id, created, model and fingerprint are the same on every chunk',
    (exchange) => {
      const identities = readStream(exchange).chunks.map(
        ({ id, created, model, system_fingerprint: print }) => JSON.stringify([id, created, model, print]),
      );
      ensure(
        new Set(identities).size === 1,
        `expected one identity, got ${[...new Set(identities)].join(' and ')}`,
      );
    },
  ],
  [
    'the first chunk says the role, and text comes in deltas',
    (exchange) => {
      const contents = contentChunksOf(exchange);
      must(choicesOf(contents[0])[0], object({ delta: object({ role: equal('assistant') }) }), 'chunk 1');
      const written = contents.map((each) => choicesOf(each)[0]?.delta?.content ?? '').join('');
      ensure(written !== '', 'no delta has content');
    },
  ],
  [
    'finish_reason is null until the last content chunk, which has one',
    (exchange) => {
      const reasons = contentChunksOf(exchange).map((each) => choicesOf(each)[0]?.finish_reason);
      must(reasons.at(-1), text, 'finish_reason of the last content chunk');
      const early = reasons.slice(0, -1).findIndex((reason) => reason !== null);
      ensure(early === -1, `chunk ${early + 1}: expected finish_reason null, got ${String(reasons[early])}`);
    },
  ],
  [
    'the charge comes last, on the only chunk with empty choices',
    (exchange, { environment }) => {
      const { chunks } = readStream(exchange);
      must(lastOf(exchange), object({ svc: serviceReply(environment) }), 'the last chunk');
      const empty = chunks.filter((each) => choicesOf(each).length === 0).length;
      ensure(choicesOf(lastOf(exchange)).length === 0, 'the last chunk: expected empty choices');
      ensure(empty === 1, `expected one chunk with empty choices, got ${empty}`);
      const early = chunks.slice(0, -1).findIndex(({ svc }) => svc !== undefined);
      ensure(early === -1, `chunk ${early + 1}: svc stands before the last chunk`);
    },
  ],
  [
    'a stream has x-svc-request-id and x-svc-hold-usdc',
    (exchange) => {
      must(exchange.header('x-svc-request-id'), requestId, 'x-svc-request-id');
      must(exchange.header('x-svc-hold-usdc'), amount, 'x-svc-hold-usdc');
    },
  ],
];

const always: ConformanceCase[] = ALWAYS.map(([promise, look]) => ({
  section: '4.1',
  promise,
  charges: { requests: 2 },
  run: async (conversation) => {
    look(await conversation.stream(), conversation);
    look(await conversation.streamWithUsage(), conversation);
  },
}));

/** Where usage stands: on which chunks, asked for or not. */
const usages: ConformanceCase[] = [
  {
    section: '4.1',
    promise: 'no chunk has usage unless it was asked for',
    only: 'testnet',
    run: async (conversation) => {
      readStream(await conversation.stream()).chunks.forEach((each, at) =>
        must(each, object({ usage: optional(nothing) }), `chunk ${at + 1}`),
      );
    },
  },
  {
    section: '4.1',
    promise: 'the last content chunk carries usage, no other does',
    only: 'production',
    run: async (conversation) => {
      const exchange = await conversation.stream();
      const contents = contentChunksOf(exchange);
      must(contents.at(-1), object({ usage }), 'the last content chunk');
      for (const each of [...contents.slice(0, -1), lastOf(exchange)]) {
        must(each, object({ usage: optional(nothing) }), 'another chunk');
      }
    },
  },
  {
    section: '4.1',
    promise: 'with include_usage, usage stands on the last chunk and is null before',
    run: async (conversation) => {
      const exchange = await conversation.streamWithUsage();
      must(lastOf(exchange), object({ usage }), 'the last chunk');
      const contents = contentChunksOf(exchange);
      const isAsked = conversation.environment.name === 'testnet';
      for (const each of isAsked ? contents : contents.slice(0, -1))
        must(each, object({ usage: nothing }), 'a chunk');
      if (!isAsked) must(contents.at(-1), object({ usage }), 'the last content chunk');
    },
  },
  {
    section: '4.1',
    promise: 'include_usage false is as if it was not asked',
    charges: { requests: 1 },
    run: async (conversation) => {
      const fields = { stream: true, stream_options: { include_usage: false }, max_tokens: 5 };
      must(lastOf(await conversation.serve(fields)), object({ usage: optional(nothing) }), 'the last chunk');
    },
  },
];

const others: ConformanceCase[] = [
  {
    section: '4.1',
    promise: 'max_tokens bounds a stream as well; its finish_reason is length',
    charges: { requests: 1 },
    run: async (conversation) => {
      const messages = [{ role: 'user', content: 'Count from 1 to 200.' }];
      const contents = contentChunksOf(await conversation.serve({ messages, max_tokens: 5, stream: true }));
      must(choicesOf(contents.at(-1))[0]?.finish_reason, equal('length'), 'finish_reason');
    },
  },
  {
    section: '4.1',
    promise: 'stream false is a plain reply',
    charges: { requests: 1 },
    run: async (conversation) => {
      const body = (await conversation.serve({ stream: false, max_tokens: 5 })).json();
      must(body, object({ object: equal('chat.completion'), choices: optional(() => []), error: absent }));
    },
  },
  {
    section: '4.1',
    promise: 'a stream that is refused before it began is an error with its status',
    run: async (conversation) => {
      const exchange = await conversation.ask({ model: 'svc/no-such-model@1', stream: true });
      mustRefuse(exchange, { code: 'model_not_found', param: 'model' });
    },
  },
];

export const streams: readonly ConformanceCase[] = [...always, ...usages, ...others];
