/** Where an offer's completions are made. */
export interface Endpoint {
  origin: string;
  /** Path and query of the chat-completions resource. */
  path: string;
}

/**
 * @param baseUrl an OpenAI-compatible server's base URL, up to and including `/v1`
 * @returns undefined for what is no http or https URL, or carries credentials
 */
export function endpointOf(baseUrl: string): Endpoint | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  return { origin: url.origin, path: `${url.pathname.replace(/\/+$/, '')}/chat/completions${url.search}` };
}
