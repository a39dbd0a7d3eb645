import { FRAMING_TOO_LARGE, retryAfterSeconds } from '@svc/http-client';
import { ADDRESS_REFUSED } from './address-guard.service';
import type { ProviderFailure } from './provider-failure';
import { invalid, unavailable } from './provider-failure';

/** How far a call had come when it failed. */
interface CallProgress {
  /** The reply's headers had come. */
  inBody: boolean;
  /** The server ended the connection over which it was asked first: it may be that request which it went down over. */
  isRepeated: boolean;
}

/** Said of the request, not of the server: too long for it, or not in a form it takes. */
const REQUEST_REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

/** What a status other than 200 says, with the reply's `Retry-After` and `Date`. */
export function statusFailure(
  status: number,
  retryAfter: string | undefined,
  date?: string,
): ProviderFailure {
  const seconds = retryAfterSeconds(retryAfter, date);
  if (status === 429) return unavailable('status_429', seconds);
  if (status >= 500) return unavailable('status_5xx', seconds);
  if (REQUEST_REFUSED.has(status)) return unavailable('request_refused');
  if (status >= 400) return unavailable('status_4xx');
  return unavailable(status >= 300 ? 'redirect' : 'status_other');
}

const CONNECT_ERRORS = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Descriptors, or memory for sockets, are used up here: nobody could be reached. */
const NO_ROOM: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Of Node and of OpenSSL: certificates that are not to be trusted, handshakes that fail. */
const TLS_ERROR = /^(ERR_SSL|ERR_TLS|ERR_OSSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|EPROTO)/;
/** undici's words for `100 Continue`, and for another protocol than was spoken. */
const NOT_ASKED_FOR: ReadonlySet<string> = new Set(['bad response', 'bad upgrade']);

/** More than a reply, around its body or before it. */
const TOO_LARGE: ReadonlySet<string> = new Set([FRAMING_TOO_LARGE, 'UND_ERR_HEADERS_OVERFLOW']);

/** llhttp's words for a connection that ends within a reply; undici asks it where that could be the end. */
const CUT = 'Invalid EOF state';

/** What an error of undici says, or one of the connection below it. */
export function errorFailure(error: Error, { inBody, isRepeated }: CallProgress): ProviderFailure {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === ADDRESS_REFUSED) return unavailable('address_refused');
  if (!inBody && NO_ROOM.has(code)) return unavailable('crowded_out');
  // Once the head has come there was a connection, and the same codes say that the network lost the other side.
  if (!inBody && CONNECT_ERRORS.has(code))
    return unavailable(isRepeated ? 'connection_lost' : 'connect_failed');
  if (!inBody && TLS_ERROR.test(code)) return unavailable(isRepeated ? 'connection_lost' : 'tls_failed');
  if (TOO_LARGE.has(code)) return invalid('too_large');
  if (NOT_ASKED_FOR.has(error.message)) return invalid('not_http');
  if (error.name === 'HTTPParserError' && !error.message.includes(CUT)) return invalid('not_http');
  // Before the body: two lengths, or one beside chunks. Within it: a body that ends before its length, which was cut.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !inBody) return invalid('not_http');
  return unavailable('connection_lost');
}
