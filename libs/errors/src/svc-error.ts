import { ERROR_CODES, isErrorCode } from './error-codes';
import type { ErrorCode, ErrorType } from './error-codes';

/** The body of every error reply (spec section 2.4). */
export interface ErrorBody {
  error: { message: string; type: ErrorType; code: ErrorCode; param: string | null };
}

/** An error as it crosses a process border: everything a client may learn, nothing else. */
export interface ErrorPayload {
  code: ErrorCode;
  message: string;
  param?: string;
  /** HTTP status where it differs from the code's usual one. */
  status?: number;
  /** Whole seconds for `Retry-After`. */
  retryAfterSeconds?: number;
  /** Only whoever is told this fails: the request goes on without them, and is charged when it is served. */
  goesOn?: true;
  /** What was charged all the same, USDC with six decimals: of a stream whose client did not read it. */
  costUsdc?: string;
}

/** Marks an error of the catalogue across copies of this module (told apart by marker, not `instanceof`). */
const MARKER = Symbol.for('svc.error');

/**
 * An error a client may see: a code of the catalogue and a message in the field's own terms.
 * Thrown by any service; the RPC filter carries it to the caller and the HTTP filter turns it into the body.
 */
export class SvcError extends Error {
  readonly [MARKER] = true;

  constructor(readonly payload: ErrorPayload) {
    super(payload.message);
    this.name = 'SvcError';
  }

  static is(error: unknown): error is SvcError {
    return typeof error === 'object' && error !== null && MARKER in error;
  }

  get code(): ErrorCode {
    return this.payload.code;
  }

  get status(): number {
    return this.payload.status ?? ERROR_CODES[this.payload.code].status;
  }
}

/**
 * The error body of a payload (spec section 2.4). What it quotes of a request may be cut within a character: half of one, which not every
 * client's JSON takes, becomes U+FFFD.
 */
export function toErrorBody({ code, message, param }: ErrorPayload): ErrorBody {
  const { type } = ERROR_CODES[code];
  return {
    error: { message: whole(message), type, code, param: param === undefined ? null : whole(param) },
  };
}

function whole(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/**
 * Reads a payload that came over the wire.
 * @returns undefined when it is not one, so that a foreign reply never passes for a code of ours
 */
export function parseErrorPayload(value: unknown): ErrorPayload | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const candidate = value as Partial<ErrorPayload>;
  if (!isErrorCode(candidate.code) || typeof candidate.message !== 'string') return undefined;
  return {
    code: candidate.code,
    message: candidate.message,
    ...(typeof candidate.param === 'string' && { param: candidate.param }),
    ...(typeof candidate.status === 'number' && { status: candidate.status }),
    ...(typeof candidate.retryAfterSeconds === 'number' && {
      retryAfterSeconds: candidate.retryAfterSeconds,
    }),
    ...(candidate.goesOn === true && { goesOn: true }),
    ...(typeof candidate.costUsdc === 'string' && { costUsdc: candidate.costUsdc }),
  };
}
