import { invalidRequest } from '@svc/errors';

/**
 * Checks that an endpoint is written as a base URL must be: it is shown to nobody, but calls are made of it by adding a path.
 * @throws SvcError invalid_request (`param`)
 */
export function requireEndpointUrl(endpoint: string, param = 'endpoint'): void {
  const refuse = (why: string): never => {
    throw invalidRequest(`the endpoint ${why}`, param);
  };
  // URL itself would pass over these.
  if (/[\s\p{C}\\]/u.test(endpoint)) refuse('must not hold spaces, control characters or backslashes');
  if (!URL.canParse(endpoint)) refuse('is no URL');
  const url = new URL(endpoint);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse('must be an http or https URL');
  if (url.username !== '' || url.password !== '') {
    refuse('must not hold a name or a password; send a bearer token as `credential`');
  }
  if (endpoint.includes('?') || endpoint.includes('#'))
    refuse('must end with its path: no query, no fragment');
}
