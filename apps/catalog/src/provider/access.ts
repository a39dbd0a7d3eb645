import { ACCESS_SECONDS } from '@svc/supply-messages';
import type { AccessMessage } from '@svc/supply-messages';

/** Two clocks may differ by so much. */
const CLOCK_SKEW_SECONDS = 30;

/**
 * Whether an access lets read now: it has begun, is not over, and lasts no longer than it may.
 * @param nowSeconds Unix seconds
 */
export function isAccessGood({ issuedAt, expiresAt }: AccessMessage, nowSeconds: number): boolean {
  const lasts = expiresAt - issuedAt;
  if (lasts <= 0 || lasts > ACCESS_SECONDS) return false;
  return issuedAt <= nowSeconds + CLOCK_SKEW_SECONDS && expiresAt > nowSeconds - CLOCK_SKEW_SECONDS;
}
