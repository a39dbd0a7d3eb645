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

/** Of dispatch's words those that say little by themselves. */
const FAILURES: Readonly<Record<string, string>> = {
  connect_failed: 'Could not be reached',
  connection_lost: 'Broke the connection',
  tls_failed: 'Its TLS certificate was refused',
  first_token_timeout: 'No first token in time',
  chunk_timeout: 'Fell silent in the middle',
  total_timeout: 'Took too long',
  error_event: 'Sent an error instead of the reply',
  status_429: 'Answered that it is busy (429)',
  status_4xx: 'Refused the request (4xx)',
  status_5xx: 'Failed (5xx)',
  tool_arguments: 'Sent a tool call with invalid arguments',
  tool_call: 'Sent an invalid tool call',
  tool_choice: 'Did not keep to the tool choice',
  structured_output: 'Did not keep to the response format',
  no_finish_reason: 'Ended without saying why',
  finish_reason: 'Broke the reply off',
};
