/** Why an attempt at one provider failed; a closed set of words, for metrics and logs. */
export type FailureReason =
  // Could not be reached, or said no.
  | 'offer_gone'
  | 'endpoint_invalid'
  | 'credential_unreadable'
  | 'address_refused'
  | 'connect_failed'
  | 'tls_failed'
  | 'connection_lost'
  | 'redirect'
  | 'request_refused'
  | 'status_4xx'
  | 'status_429'
  | 'status_5xx'
  | 'status_other'
  | 'first_token_timeout'
  | 'chunk_timeout'
  | 'total_timeout'
  | 'error_event'
  | 'crowded_out'
  // At its concurrency here.
  | 'busy'
  // Answered with what must not be delivered.
  | 'not_http'
  | 'content_type'
  | 'content_encoding'
  | 'too_large'
  | 'too_many_chunks'
  | 'too_complex'
  | 'not_utf8'
  | 'invalid_utf8'
  | 'not_json'
  | 'shape'
  | 'no_finish_reason'
  | 'tool_call'
  | 'tool_choice'
  | 'structured_output'
  | 'schema_too_expensive';

/**
 * How an attempt failed:
 * - `busy`: the offer is at its concurrency, it was not asked;
 * - `unavailable`: it refused, broke off, or did not answer in time;
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
