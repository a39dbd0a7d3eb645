import { endedError, errorFromResponse, offlineError, silentError } from './api-error';
import type { ApiError } from './api-error';
import { readMarketClock } from './market-clock';

/** Longer than the gateway takes to begin any reply; one that did not begin by then went to nobody. */
const LONGEST_WAIT_MS = 30_000;
/** Longer than the gateway waits for any one part of the marketplace when something is only read; some pages ask two. */
const LONGEST_READ_MS = 12_000;

/** The session's CSRF token. It lives in this tab's memory alone; a reload asks for it again. */
let csrfToken: string | undefined;
let onExpired: () => void = () => undefined;
/** Whether the session of this tab has ended: the cookie may be another wallet's by now. */
let hasEnded = false;

export function rememberCsrfToken(token: string | undefined): void {
  csrfToken = token;
  hasEnded = false;
}

/** Called when the session turns out to have ended, by any request. */
export function whenSessionExpires(listener: () => void): () => void {
  onExpired = listener;
  return () => {
    onExpired = () => undefined;
  };
}

/** To be called when something other than a request shows that the session has ended. */
export function sessionHasEnded(): void {
  // Who has signed out has none that could end.
  hasEnded = csrfToken !== undefined;
  onExpired();
}

/**
 * The one way to the gateway: adds the CSRF header to what changes something, and makes an ApiError of whatever is not a
 * success. A request that its caller aborts rejects with the AbortError as `fetch` does.
 */
export async function send(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const toPortal = pathname.startsWith('/portal/api/');
  if (toPortal && hasEnded && !isSignIn(pathname, request.method)) throw endedError();
  if (toPortal && request.method !== 'GET' && csrfToken !== undefined) {
    request.headers.set('x-svc-csrf', csrfToken);
  }
  const response = await beginningOf(request);
  if (toPortal) readMarketClock(response.headers);
  if (response.ok) return response;
  const error = await errorFromResponse(response);
  if (!toPortal || !isEndOfSession(pathname, request.method, error)) throw error;
  sessionHasEnded();
  // To whoever sent it the one end is as the other.
  throw endedError();
}

/**
 * All of a reply that is a file.
 * @throws ApiError where it breaks off
 */
export async function wholeBody(response: Response): Promise<Blob> {
  try {
    return await response.blob();
  } catch (cause) {
    throw offlineError(cause);
  }
}

/**
 * @returns a reply whose body may still be on its way
 * @throws ApiError where none began; what `fetch` throws where the caller gave it up
 */
async function beginningOf(request: Request): Promise<Response> {
  const connection = new AbortController();
  const hangUp = () => connection.abort();
  request.signal.addEventListener('abort', hangUp);
  if (request.signal.aborted) hangUp();
  const isRead = request.method === 'GET';
  let isSilent = false;
  const giveUp = () => {
    isSilent = isRead;
    hangUp();
  };
  const timer = setTimeout(giveUp, isRead ? LONGEST_READ_MS : LONGEST_WAIT_MS);
  try {
    return await fetch(request, { signal: connection.signal });
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    throw isSilent ? silentError(cause) : offlineError(cause);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Signing in may be refused, which ends no session. A refused CSRF token means that another tab has signed in since.
 */
function isEndOfSession(pathname: string, method: string, { status, param }: ApiError): boolean {
  if (param === 'x-svc-csrf') return true;
  return status === 401 && !isSignIn(pathname, method);
}

function isSignIn(pathname: string, method: string): boolean {
  return (
    pathname === '/portal/api/visitor' || (pathname.startsWith('/portal/api/session') && method === 'POST')
  );
}
