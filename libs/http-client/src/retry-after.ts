/** A day; nobody is believed for longer. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/**
 * RFC 9110, section 10.2.3: seconds, or a date.
 * @param date the reply's `Date`: what its sender's clock said, which may be apart from ours
 * @returns whole seconds from now; undefined for what is neither
 */
export function retryAfterSeconds(header: string | undefined, date?: string): number | undefined {
  if (header === undefined || header.length > 40) return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header), MAX_RETRY_AFTER_SECONDS);
  // A date begins with its day of the week. Without one much passes for a date: "7.5" is in July 2001.
  if (!/^[a-z]/i.test(header)) return undefined;
  const sentMs = Date.parse(date ?? '');
  const fromMs = Number.isNaN(sentMs) ? Date.now() : sentMs;
  const seconds = Math.ceil((Date.parse(header) - fromMs) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}
