import { Controller } from '@nestjs/common';
import { ShowClaimRequest, billingContracts } from '@svc/contracts';
import type { ClaimView } from '@svc/contracts';
import { notFound } from '@svc/errors';
import { HandleRpc } from '@svc/messaging';
import { PayoutProofs } from './payout-proofs';
import { PayoutStore } from './payout.store';
import type { Payout } from './payout.store';

/** What providers need to claim what they earned. */
@Controller()
export class ClaimController {
  constructor(
    private readonly store: PayoutStore,
    private readonly proofs: PayoutProofs,
  ) {}

  @HandleRpc(billingContracts.showClaim)
  async claim({ provider }: ShowClaimRequest): Promise<ClaimView> {
    const [newest, paid] = await Promise.all([this.store.newest(), this.store.paidTo(provider)]);
    // Until the chain has it, the one before can be claimed, of whoever has not.
    const before = newest?.state === 'signed' ? await this.store.newestOnChain() : undefined;
    const old = before && (await this.viewOf(before, provider, paid));
    const claim =
      old && BigInt(old.cumulative) > paid ? old : newest && (await this.viewOf(newest, provider, paid));
    if (!claim) throw notFound('Nothing is published yet that the provider could claim.', 'provider');
    return claim;
  }

  private async viewOf(payout: Payout, provider: string, paid: bigint): Promise<ClaimView | undefined> {
    const line = await this.proofs.lineOf(payout.payoutId, provider);
    if (!line) return undefined;
    return {
      provider,
      cumulative: String(line.cumulative),
      proof: line.proof,
      root: payout.root,
      state: payout.state,
      publishedAt: payout.createdAt.toISOString(),
      paid: String(paid),
    };
  }
}
