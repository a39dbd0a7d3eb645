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
/** On the refusal of a call that came too late: the clock by which it did, Unix milliseconds. */
const CLOCK_HEADER = 'Svc-Clock';
/** For people: what NATS's own tools show. */
const ERROR_HEADER = 'Nats-Service-Error';

/** Why a call was refused that came too late by the clock of who refused it; nothing was done for it. */
export class LateCallError extends Error {
  /**
   * @param clockMs what that clock said, Unix milliseconds
   * @param refusal what a caller is told that does not send it again
   */
  constructor(
    readonly clockMs: number,
    readonly refusal: Error,
  ) {
    super(refusal.message);
    this.name = 'LateCallError';
  }
}

/**
 * The headers of an error reply; its payload is an `ErrorPayload` as JSON.
 * @param clockMs where the call came too late, by which clock
 */
export function errorHeaders(code: string, clockMs?: number): MsgHdrs {
  const result = headers();
  result.set(ERROR_CODE_HEADER, code);
  result.set(ERROR_HEADER, code);
  if (clockMs !== undefined) result.set(CLOCK_HEADER, String(clockMs));
  return result;
}

/** @returns undefined where the call did not come too late */
export function clockIn(headers: MsgHdrs | undefined): number | undefined {
  return clockOf(Number(headers?.get(CLOCK_HEADER)));
}

/** What a service says its clock to be: Unix milliseconds. @returns undefined for what is none */
export function clockOf(said: unknown): number | undefined {
  return Number.isSafeInteger(said) && Number(said) > 0 ? Number(said) : undefined;
}
