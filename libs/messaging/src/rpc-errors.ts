import { headers } from 'nats';
import type { MsgHdrs } from 'nats';

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

/** Tells an error reply from others, as NATS services do (ADR-32). */
export const ERROR_CODE_HEADER = 'Nats-Service-Error-Code';
/** For people: what NATS's own tools show. */
const ERROR_HEADER = 'Nats-Service-Error';

/** The headers of an error reply; its payload is an `ErrorPayload` as JSON. */
export function errorHeaders(code: string): MsgHdrs {
  const result = headers();
  result.set(ERROR_CODE_HEADER, code);
  result.set(ERROR_HEADER, code);
  return result;
}
