import type { ClaimView, EarningList, EarningSums, SupplyTerms } from '@svc/contracts';
import { formatUsdc, parseBaseUnits, usdcOf } from '@svc/money';
import type { EarningTotals, EarningsReply, PayoutClaim } from './earnings.dto';

/** Billing's statement as the provider sees it. */
export function earningsCard(
  provider: string,
  { lines, totals, account, shareBps, next }: EarningList,
  claim: PayoutClaim | null,
): EarningsReply {
  return {
    provider,
    lines: lines.map((line) => ({ time: line.time, model: line.model, ...totalsCard(line) })),
    totals: totalsCard(totals),
    account: {
      credited_usdc: usdcOf(account.credited),
      released_usdc: usdcOf(account.released),
      paid_out_usdc: usdcOf(account.paidOut),
      payable_usdc: usdcOf(account.payable),
    },
    ...(shareBps !== undefined && { share_bps: shareBps }),
    claim,
    next,
  };
}

/** Everything that the contract's `claim` wants to know. @param domain names chain and contract */
export function claimCard(
  claim: ClaimView,
  { chainId, verifyingContract }: SupplyTerms['domain'],
): PayoutClaim {
  const claimable = parseBaseUnits(claim.cumulative) - parseBaseUnits(claim.paid);
  return {
    chain_id: chainId,
    contract: verifyingContract,
    provider: claim.provider,
    cumulative: claim.cumulative,
    proof: claim.proof,
    root: claim.root,
    state: claim.state,
    published_at: claim.publishedAt,
    claimable_usdc: formatUsdc(claimable),
    paid_usdc: usdcOf(claim.paid),
  };
}

function totalsCard({ requests, promptTokens, completionTokens, credited }: EarningSums): EarningTotals {
  return {
    requests,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    credited_usdc: usdcOf(credited),
  };
}
