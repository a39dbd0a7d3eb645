import type { Behaviour, ProviderExchange } from './provider-exchange';
import { chunkFrame, usageOf } from './provider-reply';
import type { ProviderReply } from './provider-reply';

const MEBIBYTE = 1_048_576;
const CITIES = ['Paris', 'Rome'];

/** The right call of one tool for each of two cities. */
function twoCalls(exchange: ProviderExchange): ProviderReply {
  const [call] = exchange.callReply('{}').toolCalls;
  const toolCalls = CITIES.map((city, at) => ({
    id: `call_test_${at}`,
    name: call?.name,
    arguments: JSON.stringify({ city }),
  }));
  return { text: '', toolCalls, finishReason: 'tool_calls', usage: usageOf(20, 12) };
}

/**
 * Two calls whose pieces come by turns. A plain reply has no indices: it is right.
 * @param indexOf the index that the pieces of the first (0) and of the second call (1) carry
 * @param inTurn all pieces of the first come before those of the second
 */
function twoCallsByTurns(
  exchange: ProviderExchange,
  indexOf: (call: number) => number,
  inTurn = false,
): void {
  const reply = twoCalls(exchange);
  if (!exchange.stream) return exchange.send(exchange.parts(reply));
  const pieces = reply.toolCalls.map(({ id, name, arguments: text }, at) => {
    const index = indexOf(at);
    const middle = Math.ceil(text.length / 2);
    return [
      { index, id, type: 'function', function: { name, arguments: '' } },
      { index, function: { arguments: text.slice(0, middle) } },
      { index, function: { arguments: text.slice(middle) } },
    ];
  });
  const ordered = inTurn ? pieces.flat() : [0, 1, 2].flatMap((turn) => pieces.map((call) => call[turn]));
  const turns = ordered.map((piece) => chunkFrame({ tool_calls: [piece] }));
  exchange.send([
    chunkFrame({ role: 'assistant', content: null }),
    ...turns,
    chunkFrame({}, 'tool_calls'),
    ...exchange.tail(reply),
  ]);
}

/** The same two under index 0 both, but each whole in one piece. */
function twoCallsInTwoPieces(exchange: ProviderExchange): void {
  const reply = twoCalls(exchange);
  if (!exchange.stream) return exchange.send(exchange.parts(reply));
  const pieces = reply.toolCalls.map(({ id, name, arguments: text }) =>
    chunkFrame({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: text } }] }),
  );
  exchange.send([...pieces, chunkFrame({}, 'tool_calls'), ...exchange.tail(reply)]);
}

/** One right call whose arguments are the document itself; in a stream it comes in one piece. */
function callWithObject(exchange: ProviderExchange): void {
  const reply = exchange.callReply('{"city":"Paris"}');
  const [call] = reply.toolCalls;
  const text = JSON.stringify(call?.arguments);
  if (!exchange.stream)
    return exchange.send(exchange.parts(reply).map((part) => part.replace(text, '{"city":"Paris"}')));
  const made = { name: call?.name, arguments: { city: 'Paris' } };
  exchange.send([
    chunkFrame({ tool_calls: [{ index: 0, id: call?.id, type: 'function', function: made }] }),
    chunkFrame({}, 'tool_calls'),
    ...exchange.tail(reply),
  ]);
}

/** A call that comes to `max_tokens` before its end, of which nothing is said but in the usage. */
function cutUnsaid(exchange: ProviderExchange): void {
  const maxTokens = Number(exchange.body.max_tokens);
  const reply = exchange.callReply(`{"city":"${'x'.repeat(2 * maxTokens)}`);
  exchange.send(exchange.parts({ ...reply, usage: usageOf(20, maxTokens) }));
}

/** One right call, in a stream with another index, or with none. */
function oneCallAt(exchange: ProviderExchange, index: number | undefined): void {
  const parts = exchange.parts(exchange.callReply('{"city":"Paris"}'));
  const field = index === undefined ? '' : `"index":${index},`;
  exchange.send(parts.map((part) => part.replace('"tool_calls":[{"index":0,', `"tool_calls":[{${field}`)));
}

/** Ways to call tools wrongly, or rightly in an odd way. */
export const TOOL_BEHAVIOURS = {
  /** Calls a tool, rightly, with a document of a mebibyte. */
  'tool-arguments-megabyte': (exchange) =>
    exchange.send(exchange.parts(exchange.callReply(JSON.stringify({ city: 'x'.repeat(MEBIBYTE) })))),
  /** Calls a tool with arguments that are no JSON. */
  'tool-arguments-broken': (exchange) => exchange.send(exchange.parts(exchange.callReply('{"city": "Par'))),
  /** Calls a tool with arguments that are JSON but no object. */
  'tool-arguments-array': (exchange) => exchange.send(exchange.parts(exchange.callReply('["Paris"]'))),
  /** Calls a tool and does not say which. */
  'tool-without-name': (exchange) => exchange.send(exchange.parts(exchange.namelessCallReply())),
  /** Calls a tool that nobody offered. */
  'tool-unknown': (exchange) => exchange.send(exchange.parts(exchange.callReply('{}', 'launch_missiles'))),
  /** Makes two calls at once, whose pieces come by turns under the right indices. */
  'tool-deltas-interleaved': (exchange) => twoCallsByTurns(exchange, (call) => call),
  /** The same under indices that begin at 3 and leave some out. */
  'tool-indices-gaps': (exchange) => twoCallsByTurns(exchange, (call) => 3 + 4 * call),
  /** The same with both under index 0: nobody can tell whose piece is whose. */
  'tool-indices-shared': (exchange) => twoCallsByTurns(exchange, () => 0),
  /** Two calls under index 0, each whole in one piece: as Ollama makes them. */
  'tool-indices-zero': twoCallsInTwoPieces,
  /** The same in pieces, one after the other: as some of SGLang's parsers make them. */
  'tool-indices-zero-pieces': (exchange) => twoCallsByTurns(exchange, () => 0, true),
  /** Calls a tool with an object in place of its text. */
  'tool-arguments-object': callWithObject,
  /** Calls a tool until `max_tokens` and says `tool_calls`: as vLLM does. */
  'tool-cut-unsaid': cutUnsaid,
  /** Calls a tool and says `tool_call`: as mlx-lm does. */
  'tool-end-singular': (exchange) =>
    exchange.send(exchange.parts({ ...exchange.callReply('{"city":"Paris"}'), finishReason: 'tool_call' })),
  /** Makes one call and leaves its index out. */
  'tool-index-missing': (exchange) => oneCallAt(exchange, undefined),
  /** Makes one call under index -1. */
  'tool-index-negative': (exchange) => oneCallAt(exchange, -1),
} as const satisfies Record<string, Behaviour>;
