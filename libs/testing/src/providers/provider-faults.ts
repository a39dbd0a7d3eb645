import type { ProviderBehaviour } from './faulty-provider';

/**
 * How a request ends that meets the fault and nobody else:
 * - `served`: whole, and charged;
 * - `no_capacity`, `provider_output_invalid`, `invalid_request`: refused with that code, before anything was delivered;
 * - `broken_off`: a stream of which part was delivered ends with an error event.
 */
export type FaultEnding =
  'served' | 'no_capacity' | 'provider_output_invalid' | 'invalid_request' | 'broken_off';

/**
 * What the offer's breaker makes of it:
 * - `works`: the offer works;
 * - `ignores`: it says nothing of the offer;
 * - `counts`: one failure: five in a row open it, or half of the last twenty;
 * - `counts_if_plain`: likewise; but where tools, a format or a long prompt were asked for, of one wallet's in a row the first only;
 * - `opens`: opens it at once, for as long as the provider says.
 */
export type BreakerVerdict = 'works' | 'ignores' | 'counts' | 'counts_if_plain' | 'opens';

/** What becomes of a request. */
export interface FaultOutcome {
  readonly ending: FaultEnding;
  /** The attempt's outcome in `svc_dispatch_attempts_total`. */
  readonly outcome: string;
  readonly breaker: BreakerVerdict;
  /** Of what is served: whose count is charged. */
  readonly tokens?: 'provider' | 'counted' | 'capped';
}

/** A fault, or an oddity that is none, and what comes of it. */
export interface ProviderFault {
  readonly behaviour: ProviderBehaviour;
  /** What the provider does. */
  readonly does: string;
  /** The request offers a tool. */
  readonly tools?: true;
  readonly stream: FaultOutcome;
  /** A plain request. Dispatch asks for a stream all the same, unless the offer is known to be quick enough. */
  readonly plain: FaultOutcome;
  /** A plain request of which the offer was asked for one document, where that differs. */
  readonly document?: FaultOutcome;
}

type Both = Pick<ProviderFault, 'plain' | 'stream'>;

const served = (tokens: FaultOutcome['tokens'] = 'provider'): FaultOutcome => ({
  ...{ ending: 'served', outcome: 'served', breaker: 'works', tokens },
});
const failed = (ending: FaultEnding, outcome: string, breaker: BreakerVerdict): FaultOutcome => ({
  ...{ ending, outcome, breaker },
});
const unavailable = (outcome: string, breaker: BreakerVerdict = 'counts_if_plain') =>
  failed('no_capacity', outcome, breaker);
const invalid = (outcome: string, breaker: BreakerVerdict = 'counts') =>
  failed('provider_output_invalid', outcome, breaker);
const brokenOff = (outcome: string, breaker: BreakerVerdict) => failed('broken_off', outcome, breaker);
const both = (outcome: FaultOutcome): Both => ({ plain: outcome, stream: outcome });
/** Wrong in a stream, of which a plain request delivers nothing; a document has no such part and is right. */
const inStreams = (stream: FaultOutcome) => ({
  plain: failed('provider_output_invalid', stream.outcome, stream.breaker),
  stream,
  document: served(),
});

/** Every fault that a provider is given in tests, and every outcome that they prove; `docs/provider-faults.md` is made of it. */
export const PROVIDER_FAULTS: readonly ProviderFault[] = [
  { behaviour: 'refuse-connection', does: 'is not there', ...both(unavailable('connect_failed', 'counts')) },
  {
    behaviour: 'reset',
    does: 'resets the connection once the request has come',
    ...both(unavailable('connection_lost')),
  },
  {
    behaviour: 'reset-when-reused',
    does: 'resets a connection when it is asked over it a second time',
    ...both(served()),
  },
  { behaviour: 'hang-before-headers', does: 'never answers', ...both(unavailable('first_token_timeout')) },
  {
    behaviour: 'hang-before-first-token',
    does: 'sends status 200 and its headers, then nothing',
    ...both(unavailable('first_token_timeout')),
  },
  {
    behaviour: 'hang-after-role',
    does: 'begins with a chunk that has a role and no word, then nothing',
    ...both(unavailable('first_token_timeout')),
  },
  {
    behaviour: 'signs-of-life',
    does: 'sends keep-alive comments (in a document: spaces) and nothing else',
    ...both(unavailable('first_token_timeout')),
  },
  {
    behaviour: 'stall-mid-stream',
    does: 'stops in the middle and keeps the connection',
    plain: unavailable('chunk_timeout'),
    stream: brokenOff('chunk_timeout', 'counts_if_plain'),
  },
  {
    behaviour: 'trickle',
    does: 'takes its time, within the timers',
    ...both(served()),
    // A document has the time of one chunk after its first byte.
    document: unavailable('chunk_timeout'),
  },
  {
    behaviour: 'cut-early',
    does: 'closes the connection after 20 bytes',
    ...both(unavailable('connection_lost')),
  },
  {
    behaviour: 'cut',
    does: 'closes the connection after half of the reply',
    plain: unavailable('connection_lost'),
    stream: brokenOff('connection_lost', 'counts_if_plain'),
  },
  {
    behaviour: 'endless',
    does: 'never stops writing',
    plain: invalid('too_large'),
    stream: brokenOff('too_large', 'counts'),
  },

  {
    behaviour: 'status-429',
    does: 'status 429 with `Retry-After: 7`',
    ...both(unavailable('status_429', 'opens')),
  },
  { behaviour: 'status-429-bare', does: 'status 429 without', ...both(unavailable('status_429', 'counts')) },
  { behaviour: 'status-500', does: 'status 500', ...both(unavailable('status_5xx')) },
  {
    behaviour: 'status-503',
    does: 'status 503 with `Retry-After: 7`',
    ...both(unavailable('status_5xx', 'opens')),
  },
  {
    behaviour: 'status-400',
    does: 'status 400',
    ...both(failed('invalid_request', 'request_refused', 'ignores')),
  },
  { behaviour: 'redirect', does: 'status 307 to another place', ...both(unavailable('redirect', 'counts')) },
  {
    behaviour: 'error-in-200',
    does: 'status 200 with an error for a body, or for the only event',
    ...both(unavailable('error_event')),
  },
  { behaviour: 'html', does: 'an HTML page', ...both(invalid('content_type')) },
  {
    behaviour: 'wrong-content-type',
    does: 'the right body as `text/plain`',
    ...both(invalid('content_type')),
  },
  { behaviour: 'garbage', does: 'bytes that are no UTF-8', ...both(invalid('not_utf8')) },

  { behaviour: 'split-bytes', does: 'one byte at a time: characters and lines in pieces', ...both(served()) },
  { behaviour: 'split-characters', does: 'the halves of a character in two events', ...both(served()) },
  { behaviour: 'crlf', does: 'CRLF line ends', ...both(served()) },
  { behaviour: 'comments', does: 'comments and unknown fields between events', ...both(served()) },
  {
    behaviour: 'pings',
    does: 'events that hold `{"type": "ping"}` or `null` between chunks',
    ...both(served()),
  },
  { behaviour: 'no-done', does: 'no `[DONE]`', ...both(served()) },
  { behaviour: 'usage-missing', does: 'no usage', ...both(served('counted')) },
  { behaviour: 'usage-huge', does: 'claims ten million tokens for a few words', ...both(served('capped')) },
  {
    behaviour: 'usage-padded',
    does: 'claims a token for each of many characters that nobody sees, behind its words',
    ...both(served('capped')),
  },

  {
    behaviour: 'no-finish-reason',
    does: 'ends without `finish_reason`',
    plain: invalid('no_finish_reason'),
    stream: brokenOff('no_finish_reason', 'counts'),
  },
  { behaviour: 'duplicate-finish', does: 'the same `finish_reason` twice', ...both(served()) },
  {
    behaviour: 'contradicting-finish',
    does: 'two `finish_reason`s that differ',
    ...inStreams(brokenOff('shape', 'counts')),
  },
  {
    behaviour: 'words-after-finish',
    does: 'words after the `finish_reason`',
    ...inStreams(brokenOff('shape', 'counts')),
  },
  {
    behaviour: 'unknown-finish-reason',
    does: 'a `finish_reason` that there is not',
    plain: invalid('finish_reason', 'ignores'),
    stream: brokenOff('finish_reason', 'ignores'),
  },
  { behaviour: 'end-turn', does: '`end_turn` on each chunk, then `[DONE]`', ...both(served()) },
  { behaviour: 'wrong-role', does: 'a role other than `assistant`', ...both(invalid('shape')) },

  {
    behaviour: 'tool-deltas-interleaved',
    does: 'two calls whose pieces come by turns',
    tools: true,
    ...both(served()),
  },
  {
    behaviour: 'tool-indices-gaps',
    does: 'indices 3 and 7 instead of 0 and 1',
    tools: true,
    ...both(served()),
  },
  { behaviour: 'tool-index-missing', does: 'one call without an index', tools: true, ...both(served()) },
  {
    behaviour: 'tool-indices-shared',
    does: 'two calls by turns under one index',
    tools: true,
    ...inStreams(invalid('tool_arguments')),
  },
  {
    behaviour: 'tool-indices-zero',
    does: 'two calls under one index, each in one piece',
    tools: true,
    ...both(served()),
  },
  {
    behaviour: 'tool-indices-zero-pieces',
    does: 'two calls under one index, in pieces, one after the other',
    tools: true,
    ...both(served()),
  },
  { behaviour: 'tool-index-negative', does: 'index -1', tools: true, ...inStreams(invalid('call_shape')) },
  { behaviour: 'tool-arguments-megabyte', does: 'arguments of a mebibyte', tools: true, ...both(served()) },
  {
    behaviour: 'tool-end-singular',
    does: '`tool_call` for an end, and not `tool_calls`',
    tools: true,
    ...both(served()),
  },
  {
    behaviour: 'tool-arguments-object',
    does: 'arguments that are an object, and not its text',
    tools: true,
    ...both(served()),
  },
  {
    behaviour: 'tool-cut-unsaid',
    does: '`tool_calls` for an end where `max_tokens` cut a call off',
    tools: true,
    ...both(served()),
  },
  {
    behaviour: 'tool-arguments-broken',
    does: 'arguments that are no JSON',
    tools: true,
    ...both(invalid('tool_arguments')),
  },
  {
    behaviour: 'tool-arguments-array',
    does: 'arguments that are no object',
    tools: true,
    ...both(invalid('tool_call', 'ignores')),
  },
  {
    behaviour: 'tool-without-name',
    does: 'a call without a name',
    tools: true,
    ...both(invalid('tool_call', 'ignores')),
    document: invalid('call_shape'),
  },
  {
    behaviour: 'tool-unknown',
    does: 'a call of a tool that was not offered',
    tools: true,
    ...both(invalid('tool_call', 'ignores')),
  },
];
