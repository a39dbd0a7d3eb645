import type { IdempotencyClaim, SettledHold } from '@svc/contracts';

/** What a caller did about one request and what it was told: the other half of the truth that the ledger must agree with. */
export interface BookedRequest {
  readonly holdId: string;
  readonly wallet: string;
  readonly amount: number;
  readonly claim?: IdempotencyClaim | undefined;
  /** The last word on its admission; `unheard` when there was none. */
  admitted: 'held' | 'attached' | 'refused' | 'unheard';
  /** What a post of it charges. */
  cost: number;
  /** What was asked for, whether or not anybody heard. */
  readonly sent: Set<'post' | 'void' | 'abandon' | 'refund'>;
  /** What the queue has taken. */
  readonly queued: Set<'post' | 'void' | 'abandon'>;
  readonly answers: SettledHold[];
  /** The reply that was kept before the post. */
  reply?: Buffer;
}

/** How the ledger says that a request stands. */
export interface LedgerRequest {
  readonly held: number;
  readonly resolutions: string[];
  readonly charged: number;
  readonly refunded: number;
  readonly cost: number | null;
  readonly late: boolean | null;
}

/** The questions for {@link LedgerRequest}; holds by id. */
export const LEDGER_REQUESTS = `
  SELECT t.reference AS "holdId", jsonb_build_object(
    'held', max(t.amount) FILTER (WHERE kind = 'hold'),
    'resolutions', coalesce(jsonb_agg(kind) FILTER (WHERE kind IN ('post', 'void', 'expire')), '[]'),
    'charged', coalesce(sum(t.amount) FILTER (WHERE kind IN ('share', 'fee')), 0),
    'refunded', coalesce(sum(t.amount) FILTER (WHERE kind = 'refund'), 0),
    'cost', max(u.cost), 'late', bool_or(u.late)) AS state
  FROM billing.transfer t
  LEFT JOIN billing.usage_record u ON u.wallet = t.wallet AND u.hold_id = t.reference
  WHERE t.reference = ANY ($1) GROUP BY t.wallet, t.reference`;

/**
 * Holds what a caller was told against what the ledger says, once everything is quiet.
 * @returns what does not fit, with the number of the invariant that it breaks
 */
export function disagreements(request: BookedRequest, ledger: LedgerRequest | undefined): [number, string][] {
  const found: [number, string][] = [];
  const breaks = (invariant: number, what: string) => found.push([invariant, what]);
  if (!ledger) {
    if (request.admitted === 'held') breaks(5, 'told as held, and unknown to the ledger');
    if (request.answers.some(({ state }) => state !== 'unknown'))
      breaks(5, 'resolved, and unknown to the ledger');
    return found;
  }
  const { sent, queued, cost } = request;
  const kept = ledger.charged - ledger.refunded;
  const [resolution] = ledger.resolutions;
  if (ledger.held !== request.amount) breaks(5, `held ${ledger.held} instead of ${request.amount}`);
  if (ledger.resolutions.length !== 1) breaks(5, `resolved ${ledger.resolutions.length} times`);
  if (resolution === 'post' && !sent.has('post')) breaks(5, 'posted, which nobody asked for');
  if (resolution === 'void' && !sent.has('void') && !sent.has('abandon')) {
    breaks(5, 'voided, which nobody asked for');
  }
  if (resolution === 'post' ? ledger.charged !== cost : ledger.charged !== 0) {
    breaks(7, `${String(resolution)}, and charged ${ledger.charged} of ${cost}`);
  }
  if (ledger.refunded > 0 && !sent.has('abandon') && !sent.has('refund')) {
    breaks(7, 'refunded, which nobody asked for');
  }
  if (request.admitted !== 'held' && !sent.has('post') && ledger.charged > 0) {
    breaks(7, 'charged, and told as refused');
  }
  if (queued.has('abandon') && kept !== 0) breaks(7, `abandoned by the queue, and charged ${kept}`);
  // An acknowledged post is on disk, in time or late.
  if (queued.has('post') && ledger.cost !== cost) breaks(5, 'a post that the queue took was never booked');
  for (const answer of request.answers) {
    const problem = contradiction(answer, request, ledger);
    if (problem) breaks(14, `told ${answer.state} ${answer.charged}: ${problem}`);
  }
  return found;
}

function contradiction(
  { state, charged }: SettledHold,
  { cost }: BookedRequest,
  { resolutions: [resolution], refunded, late }: LedgerRequest,
): string | undefined {
  switch (state) {
    case 'posted':
      if (charged !== String(cost)) return `not what it costs, ${cost}`;
      return resolution === 'post' ? undefined : `the ledger says ${String(resolution)}`;
    case 'late':
      return late === true && charged === '0' ? undefined : 'not late by the ledger';
    case 'refunded':
      return charged === '0' && (refunded > 0 || cost === 0) ? undefined : 'not refunded by the ledger';
    case 'voided':
    case 'expired':
      return resolution === (state === 'voided' ? 'void' : 'expire') && charged === '0'
        ? undefined
        : `the ledger says ${String(resolution)}`;
    case 'unknown':
      return undefined;
  }
}
