import type { Exchange } from '../exchange/exchange';
import { equal, ensure, must, object } from './rules';
import { errorBody, requestId } from './reply-shapes';

/** A code's own. */
interface CodeTerms {
  status: number;
  type: string;
  /** `undefined` where it depends on the request. */
  param?: string | null;
}

/** The codes of spec 7 with their status, type and `param`, as docs and README state them. */
const CODES = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  feature_not_supported: { status: 400, type: 'invalid_request_error' },
  invalid_api_key: { status: 401, type: 'invalid_request_error', param: null },
  insufficient_quota: { status: 402, type: 'insufficient_quota', param: null },
  account_suspended: { status: 403, type: 'invalid_request_error', param: null },
  model_not_found: { status: 404, type: 'invalid_request_error', param: 'model' },
  provider_output_invalid: { status: 502, type: 'server_error', param: null },
  no_capacity: { status: 503, type: 'server_error', param: null },
} as const satisfies Record<string, CodeTerms>;

/** Statuses of `invalid_request` that are about the request as a whole: an unknown path, its method, its size, its type. */
const OF_THE_WHOLE: ReadonlySet<number | undefined> = new Set([404, 405, 413, 415]);

export interface Refusal {
  code: keyof typeof CODES;
  /** Where it is not the code's own, or the status's; of a code that has none of its own any will do where it is not given. */
  param?: string | null;
  /** Where it is not the code's own. */
  status?: number;
}

/**
 * The reply refuses as it should: status, body, and the headers that every refusal has.
 * @returns the error's message
 * @throws Deviation
 */
export function mustRefuse(exchange: Exchange, { code, param, status }: Refusal): string {
  const wanted: CodeTerms = CODES[code];
  const ownParam = OF_THE_WHOLE.has(status) ? null : wanted.param;
  const wantedParam = param === undefined ? ownParam : param;
  const wantedStatus = status ?? wanted.status;
  const body = exchange.status === 200 ? undefined : exchange.json();
  ensure(
    exchange.status === wantedStatus,
    `expected ${wantedStatus} ${code}, got ${exchange.status} ${shownCode(body)}`.trimEnd(),
  );
  must(body, errorBody);
  must(body, object({ error: object({ code: equal(code), type: equal(wanted.type) }) }));
  if (wantedParam !== undefined) must(body, object({ error: object({ param: equal(wantedParam) }) }));
  mustHaveRefusalHeaders(exchange);
  return (body as { error: { message: string } }).error.message;
}

/** What no reply that refuses goes without. @throws Deviation */
export function mustHaveRefusalHeaders(exchange: Exchange): void {
  must(exchange.header('x-svc-request-id'), requestId, 'x-svc-request-id');
  ensure(
    /^application\/json\b/.test(exchange.header('content-type') ?? ''),
    `content-type: expected application/json, got ${exchange.header('content-type')}`,
  );
  if (exchange.status < 500) must(exchange.header('x-should-retry'), equal('false'), 'x-should-retry');
}

/** A wait that a client can keep: whole seconds (spec 4.1, `Retry-After`). @throws Deviation */
export function mustSayWhenToRetry(exchange: Exchange): void {
  const seconds = exchange.header('retry-after') ?? 'nothing';
  ensure(
    /^([1-9]|[12]\d|30)$/.test(seconds),
    `retry-after: expected whole seconds from 1 to 30, got ${seconds}`,
  );
}

function shownCode(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { code?: unknown } };
  return typeof error?.code === 'string' ? error.code : '';
}
