import { retryAfterSeconds } from '@svc/http-client';
import type { Dispatcher } from 'undici';
import { OpenAiError, serverError } from '../chat-completions/openai-error';

type Headers = Dispatcher.ResponseData['headers'];
type Kind = Pick<OpenAiError['fields'], 'type' | 'code'>;

const OF_THE_REQUEST: Kind = { type: 'invalid_request_error', code: 'invalid_request' };
/** Statuses that are about the request or the moment, so that the caller is told them as they are, and of which kind they are. */
const PASSED_ON = new Map<number, Kind>([
  [400, OF_THE_REQUEST],
  [413, OF_THE_REQUEST],
  [422, OF_THE_REQUEST],
  [429, { type: 'rate_limit_error', code: 'rate_limit_exceeded' }],
  [503, { type: 'server_error', code: 'upstream_busy' }],
]);
const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
/** From here on it may be over a while later. Below it is not: another key is wanted, or another name of the model. */
const FIRST_PASSING = 502;

/** The error for a request that got no reply: 504 where the upstream took too long, else 502. */
export function networkFailure(error: unknown): OpenAiError {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && TIMEOUTS.has(code)
    ? serverError(504, 'upstream_timeout', 'The model server behind this provider took too long.')
    : serverError(502, 'upstream_unreachable', 'The model server behind this provider cannot be reached.');
}

/**
 * The error for a status other than 200. What speaks of the request keeps its status and message; the rest (this
 * node's own key refused, a model missing there, a crash) is the provider's fault: 502 where it may pass, else 500.
 * @param body the beginning of the upstream's reply
 */
export function refusal(status: number, body: string, headers: Headers = {}): OpenAiError {
  const passedOn = PASSED_ON.get(status);
  if (!passedOn) {
    const ours = status < FIRST_PASSING ? 500 : 502;
    return serverError(ours, 'upstream_failed', `The model server behind this provider answered ${status}.`);
  }
  const told = parsedError(body);
  const seconds = retryAfterSeconds(headers['retry-after'], headers.date);
  return new OpenAiError({
    status,
    type: passedOn.type,
    code: told.code ?? passedOn.code,
    message: told.message ?? `The model server behind this provider answered ${status}.`,
    ...(told.param !== undefined && { param: told.param }),
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  });
}

interface ToldError {
  message?: string;
  code?: string;
  param?: string;
}

/** What an OpenAI-shaped error body says; nothing of a body in another shape. */
function parsedError(body: string): ToldError {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    const fields = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
    const text = (name: string) =>
      typeof fields[name] === 'string' ? fields[name].slice(0, 1_000) : undefined;
    return { message: text('message'), code: text('code'), param: text('param') };
  } catch {
    return {};
  }
}
