/** A provider's OpenAI-compatible server. */
export interface Endpoint {
  origin: string;
  /** Path and query of the chat-completions resource. */
  completionsPath: string;
  /** Path and query of the list of models. */
  modelsPath: string;
  /** What it wants to hear; for this endpoint only, never in a log. */
  authorization?: string;
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
  const base = url.pathname.replace(/\/+$/, '');
  return {
    origin: url.origin,
    completionsPath: `${base}/chat/completions${url.search}`,
    modelsPath: `${base}/models${url.search}`,
  };
}
