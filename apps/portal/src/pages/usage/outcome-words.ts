import type { Tone } from '../../design/status-badge';
import type { UsageRequest } from './usage-queries';

type Outcome = Pick<
  UsageRequest,
  'outcome' | 'late' | 'refunded' | 'reason' | 'error_code' | 'finish_reason'
>;

/** What became of a request, in a word or two. */
export function outcomeOf(request: Outcome): { words: string; tone: Tone } {
  if (request.outcome === 'unserved') return unservedOf(request);
  if (request.refunded) return { words: 'Refunded', tone: 'warning' };
  if (request.late) return { words: 'Served late, free', tone: 'warning' };
  if (request.finish_reason === 'cancelled') return { words: 'Stopped by client', tone: 'quiet' };
  return { words: 'Served', tone: 'good' };
}

function unservedOf({ reason, error_code }: Outcome): { words: string; tone: Tone } {
  if (error_code !== null) return { words: ERRORS[error_code] ?? error_code, tone: 'bad' };
  if (reason === 'cancelled' || reason === 'client_gone') return { words: 'Cancelled', tone: 'quiet' };
  if (reason === 'expired') return { words: 'Expired', tone: 'bad' };
  return { words: reason ?? 'Failed', tone: 'bad' };
}

const ERRORS: Readonly<Record<string, string>> = {
  invalid_request: 'Refused',
  no_capacity: 'No capacity',
  provider_output_invalid: 'Invalid reply',
  internal_error: 'Internal error',
};

/** Why nobody served a request, for who wants to know more. */
export function reasonWords(reason: string | null): string | undefined {
  return reason === null ? undefined : REASONS[reason];
}

const REASONS: Readonly<Record<string, string>> = {
  invalid_request: 'Every provider that was asked refused the request as it stands.',
  no_capacity: 'No provider of the plan could take it.',
  provider_output_invalid: 'Every provider that was tried gave a reply that must not be delivered.',
  internal_error: 'Something went wrong on our side.',
  cancelled: 'Its client hung up before anything was delivered.',
  client_gone: 'Its client hung up before the work began.',
  expired: 'Nobody who worked on it was heard of any more, so its hold ended.',
  gateway_lost: 'The gateway that its client was connected to fell silent.',
  disconnected: 'The connection between our services broke.',
  nats_lost: 'The connection between our services broke.',
  dispatch_lost: 'The service that worked on it fell silent.',
  lost_frames: 'A part of the reply was lost on its way.',
  silence: 'The service that worked on it fell silent.',
  no_dispatch: 'Nobody was there to work on it.',
  not_accepted: 'Nobody took it up in time.',
  not_started: 'It could not be started.',
  admission_unheard: 'The answer to its admission was lost.',
  shutdown: 'The instance that worked on it was shut down.',
  overlong: 'It took longer than any request may.',
  not_stored: 'Its reply could not be kept for a repetition, as its Idempotency-Key asks.',
  not_charged: 'Its hold had ended before it could be charged.',
};
