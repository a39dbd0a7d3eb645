/** The `type` of an error body (spec section 2.4). */
export type ErrorType = 'invalid_request_error' | 'insufficient_quota' | 'server_error';

/** What every reply with one error code has in common. */
interface ErrorCodeEntry {
  /** HTTP status unless the error names another one (404, 405, 409, 413, 415, 422 of `invalid_request`). */
  readonly status: number;
  readonly type: ErrorType;
  /** True where the spec sends `Retry-After`, and a client may try the same request again. */
  readonly retryable: boolean;
}

/** The catalogue of error codes (spec section 7): the one table that every service and filter reads. */
export const ERROR_CODES = {
  invalid_request: { status: 400, type: 'invalid_request_error', retryable: false },
  feature_not_supported: { status: 400, type: 'invalid_request_error', retryable: false },
  invalid_api_key: { status: 401, type: 'invalid_request_error', retryable: false },
  account_suspended: { status: 403, type: 'invalid_request_error', retryable: false },
  model_not_found: { status: 404, type: 'invalid_request_error', retryable: false },
  // 402, not 429: the official SDKs retry 429 by themselves, and a retry cannot help here.
  insufficient_quota: { status: 402, type: 'insufficient_quota', retryable: false },
  no_capacity: { status: 503, type: 'server_error', retryable: true },
  provider_output_invalid: { status: 502, type: 'server_error', retryable: true },
  internal_error: { status: 500, type: 'server_error', retryable: false },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether `value` is a code of the catalogue. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value);
}
