/** A day; nobody is believed for longer. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** As undici and fetch have it. One that comes twice says nothing. */
type Header = string | readonly string[] | null | undefined;

/**
 * RFC 9110, section 10.2.3: seconds, or a date.
 * @param date the reply's `Date`: what its sender's clock said, which may be apart from ours
 * @returns whole seconds from now; undefined for what is neither
 */
export function retryAfterSeconds(header: Header, date?: Header): number | undefined {
  if (typeof header !== 'string' || header.length > 40) return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header), MAX_RETRY_AFTER_SECONDS);
  const untilMs = httpDateMs(header);
  if (untilMs === undefined) return undefined;
  const seconds = Math.ceil((untilMs - (httpDateMs(date) ?? Date.now())) / 1_000);
  return Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}

/** A date begins with its day of the week. Without one much passes for a date: "7.5" is in July 2001. */
function httpDateMs(header: Header): number | undefined {
  const ms = typeof header === 'string' && /^[a-z]/i.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
