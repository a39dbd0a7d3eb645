import { noCapacity, providerOutputInvalid } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import type { ProviderFailure } from '../provider-client/provider-failure';

const UNKNOWN_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 30;

/**
 * What the client is told when no offer of the plan served: the words are ours, nothing a provider said is repeated.
 * `provider_output_invalid` when every provider that was asked gave what must not be delivered (spec section 7), `no_capacity`
 * otherwise, with the time after which the first of them may be asked again.
 */
export function planError(failures: readonly ProviderFailure[]): SvcError {
  const asked = failures.filter(({ kind, reason }) => kind !== 'busy' && reason !== 'breaker_open');
  if (asked.length > 0 && asked.every(({ kind }) => kind === 'invalid')) {
    return providerOutputInvalid('Every provider that was asked gave an invalid reply. Nothing was charged.');
  }
  const onlyBusy = failures.length > 0 && failures.every(({ kind }) => kind === 'busy');
  const message = onlyBusy
    ? 'All providers of this model are busy. Nothing was charged.'
    : 'No provider could take the request. Nothing was charged.';
  return noCapacity(message, retryAfterSeconds(failures));
}

/** What the client is told when the provider failed after part of the reply had been delivered. */
export function brokenOffError(): SvcError {
  return providerOutputInvalid('The provider broke off in the middle of the reply. Nothing was charged.');
}

function retryAfterSeconds(failures: readonly ProviderFailure[]): number {
  const hints = failures.map(({ retryAfterSeconds: hint }) => hint ?? UNKNOWN_RETRY_SECONDS);
  if (hints.length === 0) return UNKNOWN_RETRY_SECONDS;
  return Math.min(Math.max(Math.min(...hints), 1), MAX_RETRY_SECONDS);
}
