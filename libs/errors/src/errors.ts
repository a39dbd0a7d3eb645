import { formatUsdc } from '@svc/money';
import { SvcError } from './svc-error';
import type { ErrorPayload } from './svc-error';

const NOT_FOUND = 404;
const CONFLICT = 409;

/** Thrown when a request is malformed; `param` is the JSON path of the offending field. */
export function invalidRequest(message: string, param?: string, status?: number): SvcError {
  return new SvcError({ code: 'invalid_request', message, param, status });
}

/** Thrown when what a request names is not there, or not for who asks; `invalid_request` with status 404. */
export function notFound(message: string, param?: string): SvcError {
  return invalidRequest(message, param, NOT_FOUND);
}

/** Thrown when a request does not go with what is there already; `invalid_request` with status 409. */
export function conflict(message: string, param?: string): SvcError {
  return invalidRequest(message, param, CONFLICT);
}

/** Whether what was asked for is not there: status 404, of whatever code. */
export function isNotFound(error: unknown): error is SvcError {
  return SvcError.is(error) && error.status === NOT_FOUND;
}

/**
 * Thrown for a missing, malformed, unknown, revoked or foreign-environment key: the same words for all, so
 * that nobody can probe which keys exist.
 */
export function invalidApiKey(): SvcError {
  return new SvcError({
    code: 'invalid_api_key',
    message: 'Missing or unknown API key. Send "Authorization: Bearer <API_KEY>" with a key of this network.',
  });
}

/** Thrown when the wallet behind a key is suspended. */
export function accountSuspended(): SvcError {
  return new SvcError({ code: 'account_suspended', message: 'The account behind this key is suspended.' });
}

/** Thrown when no model of that id exists here. */
export function modelNotFound(model: string): SvcError {
  const shown = model.length > 100 ? `${model.slice(0, 100)}…` : model;
  return new SvcError({
    code: 'model_not_found',
    message: `The model "${shown}" does not exist here. GET /v1/models lists those that do.`,
    param: 'model',
  });
}

/**
 * What refused a request for want of money: the wallet's balance; what it lets the marketplace spend; the cap on what it may owe
 * before that is collected on chain; the key's own budget.
 */
export type QuotaLimit = 'balance' | 'approval' | 'unsettled' | 'key_budget';

interface QuotaWords {
  readonly limit: string;
  readonly remedy: string;
  /** Instead of that, where it would do to wait. */
  readonly remedyInTime?: string;
  /** What is held is the key's own where its budget is the limit. */
  readonly holders?: string;
}

const QUOTA_WORDS: Record<QuotaLimit, QuotaWords> = {
  balance: { limit: "the wallet's USDC balance", remedy: 'Add USDC' },
  approval: { limit: "the wallet's approval to the settlement contract", remedy: 'Raise the approval' },
  unsettled: {
    limit: 'the cap on what is not settled on chain yet',
    remedy: 'The request is larger than this cap: lower max_tokens',
    remedyInTime: 'Wait for the next settlement',
  },
  key_budget: {
    limit: "the API key's budget",
    remedy: "Raise the key's budget cap",
    remedyInTime: "Raise the key's budget cap or wait for its reset",
    holders: 'requests of this key under way',
  },
};

/**
 * Thrown when what is behind a key cannot cover the most a request may cost. Amounts are base units.
 * @param quota what the request needs, what requests under way that count towards the limit hold already, what may still be spent, and what
 *   limits that; whether it would do to wait, for the next settlement or the budget's reset
 */
export function insufficientQuota(quota: {
  needed: bigint;
  held: bigint;
  spendable: bigint;
  limit: QuotaLimit;
  waitingHelps?: boolean;
}): SvcError {
  const { limit, holders = 'requests under way', ...words } = QUOTA_WORDS[quota.limit];
  const remedy = (quota.waitingHelps && words.remedyInTime) || words.remedy;
  return new SvcError({
    code: 'insufficient_quota',
    message:
      `This request may cost up to ${formatUsdc(quota.needed)} USDC, but ${limit} leaves ` +
      `${formatUsdc(quota.spendable)} USDC spendable now ` +
      `(${formatUsdc(quota.held)} USDC is held by ${holders}). Nothing was charged. ${remedy}, then retry.`,
  });
}

/** Thrown when nobody can take the request now; `retryAfterSeconds` is 1 to 30, 5 when unknown. */
export function noCapacity(message: string, retryAfterSeconds = 5): SvcError {
  return new SvcError({ code: 'no_capacity', message, retryAfterSeconds });
}

/** Thrown when every provider tried answered with something the marketplace refuses to deliver. */
export function providerOutputInvalid(message: string): SvcError {
  return new SvcError({ code: 'provider_output_invalid', message, retryAfterSeconds: 1 });
}

/** Thrown for what a client can neither cause nor mend; the message must not tell internals. */
export function internalError(message = 'Something went wrong on our side. Nothing was charged.'): SvcError {
  return new SvcError({ code: 'internal_error', message });
}

/**
 * What a client may learn of any error. Errors outside the catalogue become `internal_error` with fixed
 * words, so that no internal message leaks.
 */
export function toErrorPayload(error: unknown): ErrorPayload {
  return SvcError.is(error) ? error.payload : internalError().payload;
}
