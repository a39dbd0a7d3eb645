import { mayBeTheRequest } from '../provider-client/may-be-the-request';
import type { Question } from '../provider-client/may-be-the-request';
import { BLAME } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';

/**
 * What a failure is worth to the offer's breaker, by `BLAME`:
 * - `full`: it counts;
 * - `doubtful`: an honest server may fail so for what was asked: it counts where others' requests fail too;
 * - `none`: it is ours, or the request's.
 */
export function weightOf(failure: ProviderFailure, question: Question): 'full' | 'doubtful' | 'none' {
  const { reason } = failure;
  // Said of how much it is asked, not of what.
  if (reason === 'status_429') return 'full';
  const blame = BLAME[reason];
  if (blame === 'suspends') return 'full';
  if (blame !== 'suspends_if_plain') return 'none';
  return mayBeTheRequest(failure, question) ? 'doubtful' : 'full';
}
