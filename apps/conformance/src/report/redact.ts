/** Keys with the service's own prefixes, wherever they stand. */
const OWN_KEY = /svc_(test|live)_[0-9A-Za-z]{6,}/g;
/** Keys of another form (`--environment`): they stand in the header alone. */
const OTHER_KEY = /\b(bearer +)([^\s"…]{12,})/gi;

/** The text without the keys of the run: what is left tells them apart and opens nothing. */
export function redact(text: string): string {
  return text
    .replace(OWN_KEY, (key) => `${key.slice(0, 9)}…${key.slice(-4)}`)
    .replace(OTHER_KEY, (_, scheme: string, key: string) => `${scheme}${key.slice(0, 3)}…${key.slice(-4)}`);
}
