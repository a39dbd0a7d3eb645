/** What a URL in absolute form has before its path. */
const SCHEME_AND_AUTHORITY = /^https?:\/\/[^/?#]*\/?/i;

/**
 * A request's path as the router reads it, so that what goes by a path holds however the path is spelt. A plain one is given back as it
 * came, with its query: so nearly all of them cost nothing.
 * @param url of the request line
 */
export function routedPath(url: string): string {
  if (!url.includes('%')) return url;
  const [path = ''] = url.split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    // The router refuses it.
    return path;
  }
}

/**
 * A URL as the routes know it; what routes, and whatever goes by a path, sees this one.
 *
 * - In absolute form, as proxies are asked, it has to be taken by servers as well (RFC 9112, section 3.2.2). Whichever host it names, it is
 *   answered here and goes nowhere else.
 * - A base URL that ends in a slash is put before `/chat/completions` as it is by clients that do not know of it: empty segments are left out.
 * @param url of the request line
 */
export function plainUrl(url: string): string {
  const relative = url.startsWith('/') ? url : url.replace(SCHEME_AND_AUTHORITY, '/');
  if (!relative.startsWith('/') || !relative.includes('//')) return relative;
  const [path = ''] = relative.split(/[?#]/, 1);
  return path.replace(/\/{2,}/g, '/') + relative.slice(path.length);
}
