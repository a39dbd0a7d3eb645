import type { ProbeObservation, ProbeReply } from '@svc/contracts';
import type { EndpointFailure } from './our-own-failures';
import type { ProbeTerms } from './probe';

type Words = (observation: ProbeObservation, terms: ProbeTerms) => string;

const status: Words = (observation) => `it answered with status ${observation.status ?? 'unknown'}`;

/** What most often is the matter. */
const MEANINGS: Readonly<Record<number, string>> = {
  401: 'it wants a token, or another one',
  404: 'nothing is at that path, or no model of that name',
};

/** Dispatch's reasons in words for a provider. */
const WORDS: Readonly<Record<EndpointFailure, Words>> = {
  endpoint_invalid: () => 'its URL cannot be called',
  credential_unreadable: () =>
    'its credential cannot be read: sign the offer again and send the credential with it',
  address_refused: () => 'its address is refused: private, loopback, link-local or otherwise not public',
  connect_failed: () => 'no connection could be made',
  tls_failed: () =>
    'no TLS connection could be made: its certificate is not valid, or it speaks another version',
  connection_lost: () => 'it broke the connection off before its reply was whole',
  redirect: (observation) =>
    `it answered with a redirect (status ${observation.status ?? '3xx'}), and none is followed`,
  request_refused: status,
  status_4xx: (observation, terms) => {
    const meaning = MEANINGS[observation.status ?? 0];
    return status(observation, terms) + (meaning === undefined ? '' : `: ${meaning}`);
  },
  status_429: (observation, terms) => `${status(observation, terms)}: too many requests`,
  status_5xx: status,
  status_other: status,
  first_token_timeout: (_, { firstTokenTimeoutMs }) =>
    `no token came within ${firstTokenTimeoutMs} ms, its own limit for the first one`,
  chunk_timeout: (_, { chunkTimeoutMs }) =>
    `it fell silent for ${chunkTimeoutMs} ms, its own limit between two chunks`,
  total_timeout: ({ totalMs }) => `it had not come to an end after ${Math.round(totalMs)} ms`,
  error_event: () => 'it sent an error under status 200',
  breaker_open: () => 'it was not asked, since it has failed too often of late',
  not_http: () => 'its reply was not HTTP as it should be',
  content_type: () =>
    'its reply was neither application/json nor, where a stream was asked for, text/event-stream',
  content_encoding: () => 'its reply was compressed, which was not asked for',
  too_large: ({ receivedBytes }) =>
    receivedBytes === 0
      ? 'its header was too large, or its reply was'
      : `its reply was too large: ${receivedBytes} bytes were read, more than so many tokens can be`,
  undeliverable: () => 'its reply was larger than what is handed on',
  too_many_chunks: () => 'its reply came in more pieces than so many tokens can be',
  too_complex: () => 'its reply was JSON of more values, or deeper, than a chat completion has',
  not_json: () => 'its reply was not JSON',
  not_utf8: () => 'its reply was not valid UTF-8',
  shape: () => 'its reply was JSON of another shape than a chat completion has',
  no_finish_reason: () => 'its reply ended without a finish_reason',
  finish_reason: () => 'its reply ended with a finish_reason that there is not',
  call_shape: () => 'its reply held a tool call of another shape than tool calls have',
  tool_arguments: () => 'its reply held a tool call with arguments that are not JSON',
  tool_call: () =>
    'its reply held a tool call that is not valid: an unknown name, or arguments that are not what they should be',
  tool_choice: () => 'its reply held no tool call, though tool_choice demands one',
  structured_output: () => 'its reply did not hold the JSON that response_format demands',
  wordless: () => 'its reply said nothing at all',
  filtered: () => 'a filter left nothing of its reply, or cut it short',
};

/** What an endpoint did, as the end of a sentence. */
export function whatCame(observation: ProbeObservation, terms: ProbeTerms): string {
  const { failure, reply } = observation;
  if (failure) {
    const { reason } = failure;
    return hasWords(reason)
      ? WORDS[reason](observation, terms)
      : `it failed (${reason.replaceAll('_', ' ')})`;
  }
  return reply ? `it replied with ${replyInShort(reply)}` : 'it did not come to an end';
}

/** Not so of what a newer dispatch says. */
function hasWords(reason: string): reason is EndpointFailure {
  return Object.hasOwn(WORDS, reason);
}

function replyInShort({ toolCalls, finishReason, outputBytes }: ProbeReply): string {
  const calls =
    toolCalls.length === 0 ? '' : `${toolCalls.length} tool ${toolCalls.length === 1 ? 'call' : 'calls'}, `;
  return `${calls}${outputBytes} bytes, finish_reason "${finishReason}"`;
}
