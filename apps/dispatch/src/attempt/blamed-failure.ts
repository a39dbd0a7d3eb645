import type { StartRunRequest } from '@svc/contracts';
import { BLAME } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { CountedFailure } from './offer-tally';

/** Whatever a prompt holds, one of so many tokens at most is read in no time. */
const SHORT_PROMPT_TOKENS = 2_000;

/** How a failure counts, by `BLAME`. @returns undefined for what does not count at all, or not yet */
export function countedFailure(
  { kind, reason }: ProviderFailure,
  request: StartRunRequest,
): CountedFailure | undefined {
  const blame = BLAME[reason];
  if (blame === 'uncounted' || blame === 'ranks_if_served') return undefined;
  const blamed = blame === 'suspends' || (blame === 'suspends_if_plain' && isPlain(request));
  return { invalid: kind === 'invalid', ...(blamed && { blamedBy: request.hold.wallet }) };
}

/** A short prompt, and a text for an answer, without long thought: no more than every server takes in its stride. */
export function isPlain({ body, inputEstimate }: StartRunRequest): boolean {
  const asksForMore = 'tools' in body || 'response_format' in body || 'reasoning_effort' in body;
  return !asksForMore && inputEstimate <= SHORT_PROMPT_TOKENS;
}
