import type { CertifiedFeatures, StartRunRequest } from '@svc/contracts';
import { BLAME } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { CountedFailure } from './offer-tally';

/** Whatever a prompt holds, one of so many tokens at most is read in no time. */
const SHORT_PROMPT_TOKENS = 2_000;

/** What was asked of whom. */
export interface Question {
  request: StartRunRequest;
  /** What the offer may be asked for; undefined for one that is gone. */
  certified: Pick<CertifiedFeatures, 'reasoning'> | undefined;
}

/** How a failure counts, by `BLAME`. @returns undefined for what does not count at all, or not yet */
export function countedFailure(failure: ProviderFailure, question: Question): CountedFailure | undefined {
  const { kind, reason } = failure;
  const blame = BLAME[reason];
  if (blame === 'uncounted' || blame === 'ranks_if_served') return undefined;
  const blamed =
    blame === 'suspends' || (blame === 'suspends_if_plain' && !mayBeTheRequest(failure, question));
  return { invalid: kind === 'invalid', ...(blamed && { blamedBy: question.request.hold.wallet }) };
}

/**
 * Whether an honest server may have failed so for what was asked of it. Models that think do so unasked, and some of their servers show
 * nothing of it: a short question, long thought about, looks like a server that hangs.
 */
export function mayBeTheRequest({ reason }: ProviderFailure, { request, certified }: Question): boolean {
  return !isPlain(request) || (reason === 'first_token_timeout' && certified?.reasoning === true);
}

/** A short prompt, and a text for an answer, without long thought: no more than every server takes in its stride. */
function isPlain({ body, inputEstimate }: StartRunRequest): boolean {
  const asksForMore = 'tools' in body || 'response_format' in body || 'reasoning_effort' in body;
  return !asksForMore && inputEstimate <= SHORT_PROMPT_TOKENS;
}
