import { invalidRequest } from '@svc/errors';

/**
 * Checks that an endpoint is written as a base URL must be: it is shown to nobody, but calls are made of it by adding a path.
 * @throws SvcError invalid_request (`param`)
 */
export function requireEndpointUrl(endpoint: string, param = 'endpoint'): void {
  const refuse = (what: string): never => {
    throw invalidRequest(`The endpoint must ${what}.`, param);
  };
  // URL itself would pass over these.
  if (/[\s\p{C}\\]/u.test(endpoint)) refuse('not hold spaces, control characters or backslashes');
  if (!URL.canParse(endpoint)) refuse('be a URL such as https://models.example/v1');
  const url = new URL(endpoint);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse('be an http or https URL');
  if (url.username !== '' || url.password !== '') {
    refuse('not hold a user name or a password; send a bearer token as `credential`');
  }
  if (endpoint.includes('?') || endpoint.includes('#'))
    refuse('end with its path, without query and fragment');
}
