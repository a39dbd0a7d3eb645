/** Marks the error across copies of this module. */
const MARKER = Symbol.for('svc.rpc-unavailable');

/** Why no answer came: nobody listens, the time ran out, or the caller gave up. */
type UnavailableReason = 'no_responders' | 'timeout' | 'aborted';

/**
 * Thrown to the caller of an RPC that got no answer. The work may or may not have been done ("unknown" is a
 * state); only `no_responders` says that it was not.
 */
export class RpcUnavailableError extends Error {
  readonly [MARKER] = true;

  constructor(
    readonly subject: string,
    readonly reason: UnavailableReason,
  ) {
    super(`${subject}: ${reason}`);
    this.name = 'RpcUnavailableError';
  }

  static is(error: unknown): error is RpcUnavailableError {
    return typeof error === 'object' && error !== null && MARKER in error;
  }
}

/** Headers of an error reply, as NATS services use them (ADR-32). */
export const ERROR_CODE_HEADER = 'Nats-Service-Error-Code';
export const ERROR_HEADER = 'Nats-Service-Error';
