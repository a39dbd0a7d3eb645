import createClient from 'openapi-fetch';
import type { paths } from './generated/schema';
import { send } from './transport';

/**
 * The gateway's API, typed by its own OpenAPI document. Throws an ApiError for what is refused, so `data` is there:
 * `const { id } = await dataOf(api.POST('/portal/api/keys', { body }))`.
 */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: send });

/** The body of a reply; refusals have been thrown before. */
export async function dataOf<T>(reply: Promise<{ data?: T }>): Promise<T> {
  const { data } = await reply;
  return data as T;
}

interface CallOptions {
  method?: 'GET' | 'POST';
  body?: unknown;
  query?: Record<string, string | number | boolean | undefined>;
  signal?: AbortSignal;
}

/**
 * For a reply that is read as a stream or as a file, or a path that is put together.
 * @throws ApiError
 */
export function callRaw(
  path: string,
  { method = 'GET', body, query, signal }: CallOptions = {},
): Promise<Response> {
  const url = new URL(path, window.location.origin);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  const json = body === undefined ? undefined : JSON.stringify(body);
  const headers = json === undefined ? undefined : { 'content-type': 'application/json' };
  return send(new Request(url, { method, headers, body: json, signal }));
}
