import type { FailureReason } from '@svc/contracts';

/**
 * What a failure says against the offer. Clients choose their requests and pay nothing for failures, so whatever a request can bring an
 * honest server to must not take an offer off the market, or anybody could have any offer removed:
 * - `uncounted`: nothing; it is ours, or the request's alone;
 * - `ranks_if_served`: nothing, unless another offer serves the same request; then it is ranked lower;
 * - `ranks`: others are asked before it, and a canary has a look;
 * - `suspends_if_plain`: it counts for suspension where the request was short and asked for text: long prompts take long, and there are
 *   schemas and tools that honest servers choke on; `mayBeTheRequest` has the exceptions;
 * - `suspends`: it counts for suspension, since no request causes it.
 */
type Blame = 'uncounted' | 'ranks_if_served' | 'ranks' | 'suspends_if_plain' | 'suspends';

export const BLAME: Readonly<Record<FailureReason, Blame>> = {
  offer_gone: 'uncounted',
  endpoint_invalid: 'suspends',
  // The key is ours. Asking others first does it no wrong: it cannot be asked.
  credential_unreadable: 'ranks',
  address_refused: 'suspends',
  connect_failed: 'suspends',
  tls_failed: 'suspends',
  connection_lost: 'suspends_if_plain',
  redirect: 'suspends',
  request_refused: 'ranks_if_served',
  // Firewalls in front of servers refuse prompts that look like attacks.
  status_4xx: 'ranks',
  // Servers limit tokens a minute and accounts as well: what clients ask for may meet that within the offer's places.
  status_429: 'ranks',
  status_5xx: 'suspends_if_plain',
  status_other: 'suspends',
  first_token_timeout: 'suspends_if_plain',
  // Some servers are silent while they gather a tool call's arguments.
  chunk_timeout: 'suspends_if_plain',
  total_timeout: 'suspends_if_plain',
  error_event: 'suspends_if_plain',
  crowded_out: 'uncounted',
  busy: 'uncounted',
  breaker_open: 'uncounted',
  not_http: 'suspends',
  content_type: 'suspends',
  content_encoding: 'suspends',
  too_large: 'suspends',
  // Larger than we hand on, within what was asked for.
  undeliverable: 'ranks',
  too_many_chunks: 'suspends',
  // A prompt may ask for JSON of that many values.
  too_complex: 'ranks',
  not_utf8: 'suspends',
  not_json: 'suspends',
  shape: 'suspends',
  no_finish_reason: 'suspends',
  // A server's word for filters of its own, or for calls of the model's that it could not read.
  finish_reason: 'ranks',
  call_shape: 'suspends',
  // Where the client's own wishes may have broken them it is a `tool_call`.
  tool_arguments: 'suspends',
  tool_call: 'ranks',
  tool_choice: 'ranks',
  structured_output: 'ranks',
  // Delivered after all where nobody says more.
  wordless: 'ranks_if_served',
  filtered: 'ranks_if_served',
  // The client's schema may be what takes so long, or what was written.
  schema_too_expensive: 'ranks_if_served',
  schema_unusable: 'uncounted',
};

/**
 * How an attempt failed:
 * - `busy`: the offer is at its concurrency, it was not asked;
 * - `unavailable`: it refused, broke off, or did not answer in time, now or of late;
 * - `invalid`: it answered with something the marketplace refuses to deliver.
 */
export interface ProviderFailure {
  kind: 'busy' | 'unavailable' | 'invalid';
  reason: FailureReason;
  /** Whole seconds, when the provider named a time to come back. */
  retryAfterSeconds?: number;
}

export function unavailable(reason: FailureReason, retryAfterSeconds?: number): ProviderFailure {
  return { kind: 'unavailable', reason, retryAfterSeconds };
}

export function invalid(reason: FailureReason): ProviderFailure {
  return { kind: 'invalid', reason };
}
