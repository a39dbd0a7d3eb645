import { invalidRequest } from '@svc/errors';

const MISMATCH = 422;

/** The refusal of a request whose idempotency key stands for another one. */
export function idempotencyMismatch(): Error {
  return invalidRequest(
    'Another request was sent under this idempotency key within the last 24 hours.',
    'Idempotency-Key',
    MISMATCH,
  );
}
