/** What the router leaves out of a URL in absolute form (RFC 9112, section 3.2.2). */
const SCHEME_AND_HOST = /^https?:\/\/.*?\//;

/**
 * A request's path as the router reads it, so that what goes by a path holds however the path is spelt. A plain one is given back as it
 * came, with its query: so nearly all of them cost nothing.
 * @param url of the request line
 */
export function routedPath(url: string): string {
  const isRelative = url.startsWith('/');
  if (isRelative && !url.includes('%')) return url;
  const [path = ''] = (isRelative ? url : url.replace(SCHEME_AND_HOST, '/')).split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    // The router refuses it.
    return path;
  }
}

/**
 * A URL whose path names no empty segments: a base URL that ends in a slash is put before `/chat/completions` as it is by clients that do not
 * know of it. What routes, and whatever goes by a path, sees the plain one.
 * @param url of the request line
 */
export function withoutEmptySegments(url: string): string {
  if (!url.startsWith('/') || !url.includes('//')) return url;
  const [path = ''] = url.split(/[?#]/, 1);
  return path.replace(/\/{2,}/g, '/') + url.slice(path.length);
}
