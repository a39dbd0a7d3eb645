const MINUTE_MS = 60_000;
export const LONGEST_RETRY_MS = 60 * MINUTE_MS;

/**
 * How long an offer off the market waits for its next canary: 1, 2, 4 … up to 60 minutes.
 * @param failures canaries that failed since it was taken off, or how often it was taken off of late
 */
export function retryDelayMs(failures: number): number {
  return Math.min(MINUTE_MS * 2 ** failures, LONGEST_RETRY_MS);
}
