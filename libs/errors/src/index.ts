export { ERROR_CODES, isErrorCode } from './error-codes';
export type { ErrorCode, ErrorType } from './error-codes';
export { SvcError, parseErrorPayload, toErrorBody } from './svc-error';
export type { ErrorBody, ErrorPayload } from './svc-error';
export {
  accountSuspended,
  conflict,
  insufficientQuota,
  internalError,
  invalidApiKey,
  invalidRequest,
  isNotFound,
  modelNotFound,
  noCapacity,
  notFound,
  providerOutputInvalid,
  toErrorPayload,
} from './errors';
export type { QuotaLimit } from './errors';
