/** What an observation holds of a body at most, bytes. */
export const MAX_OBSERVED_BYTES = 8 * 1024;

/**
 * Shorter credentials are none that keep anybody out, and would be found all over a text that does not hold them: taking each out
 * would show them, and make the text many times as long.
 */
const LEAST_CREDENTIAL_CHARS = 8;

/** Stands in the place of a credential. */
const REDACTED = '[credential]';

/** Control and format characters and lone surrogates: nothing that a database, a log or a terminal could take amiss. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu;

/**
 * The beginning of a text that somebody else wrote, fit to be kept and shown: without control characters, without the credential
 * should it occur, at most `MAX_OBSERVED_BYTES` as UTF-8.
 */
export function safeText(text: string, credential: string | undefined): string {
  return firstBytes(redacted(text, credential).replace(UNSAFE, '\ufffd'));
}

/** The text without a credential, as it is or as JSON or a URL would spell it. */
export function redacted(text: string, credential: string | undefined): string {
  if (credential === undefined || credential.length < LEAST_CREDENTIAL_CHARS) return text;
  let clean = text;
  for (const spelling of new Set([credential, inJson(credential), encodeURIComponent(credential)])) {
    clean = clean.replaceAll(spelling, REDACTED);
  }
  return clean;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function firstBytes(text: string): string {
  // No character has fewer bytes than one.
  const bytes = Buffer.from(text.slice(0, MAX_OBSERVED_BYTES));
  if (bytes.length <= MAX_OBSERVED_BYTES) return bytes.toString();
  let end = MAX_OBSERVED_BYTES;
  // Not in the middle of a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
