/**
 * Why an attempt at one provider failed: dispatch's words, for metrics, logs, certification and what is kept of a request. On the wire
 * they are strings, since a dispatch of another version may have others.
 */
export const FAILURE_REASONS = [
  // Could not be reached, or said no.
  'offer_gone',
  'endpoint_invalid',
  'credential_unreadable',
  'address_refused',
  'connect_failed',
  'tls_failed',
  'connection_lost',
  'redirect',
  'request_refused',
  'status_4xx',
  'status_429',
  'status_5xx',
  'status_other',
  'first_token_timeout',
  'chunk_timeout',
  'total_timeout',
  'error_event',
  'crowded_out',
  // At its concurrency.
  'busy',
  // Has failed too often of late to be asked.
  'breaker_open',
  // Answered with what must not be delivered.
  'not_http',
  'content_type',
  'content_encoding',
  'too_large',
  'undeliverable',
  'too_many_chunks',
  'too_complex',
  'not_utf8',
  'not_json',
  'shape',
  'no_finish_reason',
  'finish_reason',
  'call_shape',
  'tool_arguments',
  'tool_call',
  'tool_choice',
  'structured_output',
  'wordless',
  'filtered',
  'schema_too_expensive',
  'schema_unusable',
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

const KNOWN: ReadonlySet<unknown> = new Set(FAILURE_REASONS);

/** Whether that is a reason that this version knows. */
export function isFailureReason(word: string | undefined): word is FailureReason {
  return KNOWN.has(word);
}
