import type { Tone } from '../../design/status-badge';

/** What became of an offer that the plan named. */
interface StepOutcome {
  words: string;
  tone: Tone;
  /** Whether it was asked at all. */
  wasAsked: boolean;
}

export function stepOutcome(outcome: string): StepOutcome {
  const known = Object.hasOwn(WORDS, outcome) ? WORDS[outcome] : undefined;
  return (
    known ?? {
      words: (Object.hasOwn(FAILURES, outcome) ? FAILURES[outcome] : undefined) ?? `Failed: ${outcome}`,
      tone: 'bad',
      wasAsked: true,
    }
  );
}

const WORDS: Readonly<Record<string, StepOutcome>> = {
  served: { words: 'Served', tone: 'good', wasAsked: true },
  stopped: { words: 'Stopped', tone: 'quiet', wasAsked: true },
  not_tried: { words: 'Not needed', tone: 'quiet', wasAsked: false },
  passed_over: { words: 'Passed over by the plan', tone: 'quiet', wasAsked: false },
  busy: { words: 'Was busy', tone: 'warning', wasAsked: false },
  breaker_open: { words: 'Left alone: it had failed too often', tone: 'warning', wasAsked: false },
  offer_gone: { words: 'Was withdrawn', tone: 'warning', wasAsked: false },
};

/** The rest of dispatch's words (`FailureReason`); a newer dispatch may have more. */
const FAILURES: Readonly<Record<string, string>> = {
  endpoint_invalid: 'Its URL cannot be called',
  credential_unreadable: 'Its credential could not be read',
  address_refused: 'Its address is not public',
  connect_failed: 'Could not be reached',
  tls_failed: 'Its TLS certificate was refused',
  connection_lost: 'Broke the connection',
  redirect: 'Answered with a redirect',
  request_refused: 'Refused the request',
  status_4xx: 'Refused the request (4xx)',
  status_429: 'Answered that it is busy (429)',
  status_5xx: 'Failed (5xx)',
  status_other: 'Answered with an unexpected status',
  first_token_timeout: 'No first token in time',
  chunk_timeout: 'Fell silent in the middle',
  total_timeout: 'Took too long',
  error_event: 'Sent an error instead of the reply',
  crowded_out: 'Interrupted for want of room',
  not_http: 'Did not answer in HTTP',
  content_type: 'Sent another type than was asked for',
  content_encoding: 'Sent a compressed reply',
  too_large: 'Sent too large a reply',
  undeliverable: 'Sent more than could be handed on',
  too_many_chunks: 'Sent its reply in too many pieces',
  too_complex: 'Sent JSON of too many values, or too deep',
  not_utf8: 'Sent text that is not UTF-8',
  not_json: 'Sent what is not JSON',
  shape: 'Sent JSON of another shape',
  no_finish_reason: 'Ended without saying why',
  finish_reason: 'Broke the reply off',
  call_shape: 'Sent a tool call of another shape',
  tool_arguments: 'Sent a tool call with invalid arguments',
  tool_call: 'Sent an invalid tool call',
  tool_choice: 'Did not keep to the tool choice',
  structured_output: 'Did not keep to the response format',
  wordless: 'Said nothing',
  filtered: 'Its reply was cut by a filter',
  schema_too_expensive: 'Its reply took too long to check',
  schema_unusable: 'The schema cannot be checked against',
};
