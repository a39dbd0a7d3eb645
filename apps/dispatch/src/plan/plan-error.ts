import type { FailureReason } from '@svc/contracts';
import { invalidRequest, noCapacity, providerOutputInvalid } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import type { ProviderFailure } from '../provider-client/provider-failure';

const UNKNOWN_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 30;
const AFTER_INTERRUPTION_SECONDS = 1;

/** Of providers that no request was sent to: such a one was not tried. */
const NOT_ASKED: ReadonlySet<FailureReason> = new Set([
  'busy',
  'breaker_open',
  'offer_gone',
  'endpoint_invalid',
  'credential_unreadable',
  'address_refused',
  'connect_failed',
  'tls_failed',
]);

/**
 * What the client is told when no offer of the plan served: the words are ours, nothing a provider said is repeated.
 * - `invalid_request` when every provider refused the request itself: sent again it would be refused again
 * - `provider_output_invalid` when every provider tried answered with what is not delivered (spec section 7): invalid, or too large
 * - `no_capacity` otherwise, with the time after which the first of them may be asked again
 */
export function planError(failures: readonly ProviderFailure[]): SvcError {
  if (failures.length > 0 && failures.every(({ reason }) => reason === 'request_refused')) {
    return invalidRequest(
      'Every provider that was asked refused this request as it stands: the prompt may be longer than the context, its messages in an ' +
        'order that the model does not take, a tool call without what the model thought before it, or a schema more than the model can ' +
        'follow. Nothing was charged.',
    );
  }
  const tried = failures.filter(({ reason }) => !NOT_ASKED.has(reason));
  if (tried.length > 0 && tried.every(({ kind }) => kind === 'invalid')) {
    // Good ones, for all that we know: their providers are not to be called names.
    const areTooLarge = tried.every(({ reason }) => reason === 'undeliverable');
    const why = areTooLarge ? TOO_LARGE : 'Every provider that was tried gave an invalid reply.';
    return providerOutputInvalid(`${why} Nothing was charged.`);
  }
  const onlyBusy = failures.length > 0 && failures.every(({ kind }) => kind === 'busy');
  const message = onlyBusy
    ? 'All providers of this model are busy. Nothing was charged.'
    : 'No provider could take the request. Nothing was charged.';
  return noCapacity(message, retryAfterSeconds(failures));
}

const TOO_LARGE = 'The reply is larger than what is handed on, or kept for repeats of the request.';

/** No provider's doing: there was no more room for what it wrote, or what must be kept of it is more than we keep. */
const OURS: ReadonlyMap<FailureReason, string> = new Map([
  ['crowded_out', 'The reply was interrupted.'],
  ['undeliverable', TOO_LARGE],
]);

/**
 * What the client is told when the reply ended after part of it had been delivered.
 * @param failure that it ended with
 */
export function brokenOffError(failure: ProviderFailure | undefined): SvcError {
  const ours = failure && OURS.get(failure.reason);
  if (ours !== undefined) return noCapacity(`${ours} Nothing was charged.`, AFTER_INTERRUPTION_SECONDS);
  return providerOutputInvalid('The provider broke off in the middle of the reply. Nothing was charged.');
}

function retryAfterSeconds(failures: readonly ProviderFailure[]): number {
  const hints = failures.map(({ retryAfterSeconds: hint }) => hint ?? UNKNOWN_RETRY_SECONDS);
  if (hints.length === 0) return UNKNOWN_RETRY_SECONDS;
  return Math.min(Math.max(Math.min(...hints), 1), MAX_RETRY_SECONDS);
}
