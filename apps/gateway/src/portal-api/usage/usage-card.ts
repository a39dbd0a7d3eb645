import type { RouteStep, UsageDetail, UsageLine } from '@svc/contracts';
import { usdcOf } from '@svc/money';
import type { RefundReply, RouteStepReply, UsageDetailReply, UsageRequestReply } from './usage.dto';

/** A line of billing's as its wallet sees it. */
export function usageRequestCard(line: UsageLine): UsageRequestReply {
  const request = {
    request_id: line.requestId,
    created_at: line.createdAt,
    outcome: line.outcome,
    key_id: line.keyId,
    model: line.model,
    charged_usdc: usdcOf(line.charged),
    total_ms: line.totalMs,
    attempts: line.attempts,
  };
  if (line.outcome === 'unserved')
    return { ...request, ...NOT_SERVED, reason: line.reason, error_code: line.code };
  return {
    ...request,
    provider: line.provider,
    prompt_tokens: line.promptTokens,
    completion_tokens: line.completionTokens,
    first_token_ms: line.firstTokenMs,
    finish_reason: line.finishReason,
    late: line.late,
    refunded: line.refunded,
    reason: null,
    error_code: null,
  };
}

const NOT_SERVED = {
  provider: null,
  prompt_tokens: null,
  completion_tokens: null,
  first_token_ms: null,
  finish_reason: null,
  late: false,
  refunded: false,
} as const;

/** What one request's page adds to its line, without what is asked of others. */
export function usageDetailCard({
  line,
  refund,
}: UsageDetail): Omit<UsageDetailReply, 'settlement' | 'receipt'> {
  const served = line.outcome === 'served' ? line : undefined;
  return {
    ...usageRequestCard(line),
    offer_id: served?.offerId ?? null,
    token_source: served?.tokenSource ?? null,
    input_price_per_mtok: served?.inputPricePerMtok ?? null,
    output_price_per_mtok: served?.outputPricePerMtok ?? null,
    held_usdc: usdcOf(line.held),
    route: line.route && line.route.map(stepCard),
    refund: refund && refundCard(refund),
  };
}

function stepCard({ offerId, why, outcome }: RouteStep): RouteStepReply {
  return { offer_id: offerId, why, outcome };
}

function refundCard({ amount, reason, createdAt }: NonNullable<UsageDetail['refund']>): RefundReply {
  return { amount_usdc: usdcOf(amount), reason, created_at: createdAt };
}
