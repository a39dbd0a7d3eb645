import { ACCESS_SECONDS } from '@svc/supply-messages';
import type { AccessMessage } from '@svc/supply-messages';

/** How much a provider's clock and this one may differ. */
const CLOCK_SKEW_SECONDS = 30;

/**
 * What keeps an access from letting anybody read now, in words for who signed it: it has to have begun, not to be over, and to last no
 * longer than it may. A clock that is wrong is the usual reason, so the words say what time it is here.
 * @param nowSeconds Unix seconds
 * @returns undefined for one that is good
 */
export function accessFault({ issuedAt, expiresAt }: AccessMessage, nowSeconds: number): string | undefined {
  const lasts = expiresAt - issuedAt;
  if (lasts <= 0 || lasts > ACCESS_SECONDS)
    return `The access has to last from 1 to ${ACCESS_SECONDS} seconds, and lasts ${lasts}.`;
  const here = `It is ${nowSeconds} here (Unix seconds): is your clock right?`;
  if (issuedAt > nowSeconds + CLOCK_SKEW_SECONDS) return `The access begins only at ${issuedAt}. ${here}`;
  if (expiresAt <= nowSeconds - CLOCK_SKEW_SECONDS) return `The access ended at ${expiresAt}. ${here}`;
  return undefined;
}
