/** What the gateway refused, or that it could not be reached; `message` is words for a person. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The catalogue's code, `offline` when no reply came, `silent` when something was read and none came in time, `unreadable` when the reply was not ours. */
  readonly code: string;
  /** 0 when no reply came. */
  readonly status: number;
  /** The JSON path of the field that was refused. */
  readonly param?: string;
  /** To name to support. */
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  /** USDC that were held for it; undefined for what was refused before: of that the marketplace keeps nothing. */
  readonly holdUsdc?: string;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.param = details.param;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.holdUsdc = details.holdUsdc;
  }
}

interface ApiErrorDetails {
  code: string;
  status: number;
  param?: string;
  requestId?: string;
  retryAfterSeconds?: number;
  holdUsdc?: string;
  cause?: unknown;
}

/** Whether it may be gone the next time: nobody could be asked, or a part of the marketplace was away. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 502 || error.status === 503 || error.status === 504;
}

/** Whether it was waited for in vain, which somebody has seen for long enough. */
export function isSilence(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'silent';
}

/** When the request never reached the marketplace, or its reply never came back. */
export function offlineError(cause: unknown): ApiError {
  return new ApiError('The marketplace cannot be reached. Check your connection, then try again.', {
    code: 'offline',
    status: 0,
    cause,
  });
}

/** When something was to be read, and there was nothing but silence. */
export function silentError(cause: unknown): ApiError {
  return new ApiError('The marketplace does not answer. Try again in a moment.', {
    code: 'silent',
    status: 0,
    cause,
  });
}

/** When a request would go out under a session that this tab does not have any more. */
export function endedError(): ApiError {
  return new ApiError('Your session has ended. Sign in again.', { code: 'invalid_api_key', status: 401 });
}

/** Reads an error reply: `{error: {message, code, param}}`, or anything that a proxy in between may have said. */
export async function errorFromResponse(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-svc-request-id') ?? undefined;
  const holdUsdc = response.headers.get('x-svc-hold-usdc') ?? undefined;
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  const { message, code, param } = await readBody(response);
  return new ApiError(
    message ?? `The marketplace answered with status ${response.status}. Try again in a moment.`,
    {
      code: code ?? 'unreadable',
      status: response.status,
      ...{ param, requestId, retryAfterSeconds, holdUsdc },
    },
  );
}

async function readBody(response: Response): Promise<{ message?: string; code?: string; param?: string }> {
  const body: unknown = await response.json().catch(() => undefined);
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  return { message: textOf(error.message), code: textOf(error.code), param: textOf(error.param) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
