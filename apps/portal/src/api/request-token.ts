/** A random token, so that a request that is sent again is known as the same one. Works on plain http too, unlike `randomUUID`. */
export function requestToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
