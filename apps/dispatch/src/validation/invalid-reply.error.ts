import type { FailureReason } from '@svc/contracts';

/** Marks the error across copies of this module. */
const MARKER = Symbol.for('svc.dispatch.invalid-reply');

/** Thrown when a provider's reply must not be delivered; `reason` is for metrics, the reply's text is in no message. */
export class InvalidReplyError extends Error {
  readonly [MARKER] = true;

  constructor(readonly reason: FailureReason) {
    super(reason);
    this.name = 'InvalidReplyError';
  }

  static is(error: unknown): error is InvalidReplyError {
    return typeof error === 'object' && error !== null && MARKER in error;
  }
}
