import { mayBeTheRequest } from '../provider-client/may-be-the-request';
import type { Question } from '../provider-client/may-be-the-request';
import { BLAME } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { CountedFailure } from './offer-tally';

/** How a failure counts, by `BLAME`. @returns undefined for what does not count at all, or not yet */
export function countedFailure(failure: ProviderFailure, question: Question): CountedFailure | undefined {
  const { kind, reason } = failure;
  const blame = BLAME[reason];
  if (blame === 'uncounted' || blame === 'ranks_if_served') return undefined;
  const blamed =
    blame === 'suspends' || (blame === 'suspends_if_plain' && !mayBeTheRequest(failure, question));
  return { invalid: kind === 'invalid', ...(blamed && { blamedBy: question.request.hold.wallet }) };
}
