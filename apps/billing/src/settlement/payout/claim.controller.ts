import { Controller } from '@nestjs/common';
import { ShowClaimRequest, billingContracts } from '@svc/contracts';
import type { ClaimView } from '@svc/contracts';
import { invalidRequest } from '@svc/errors';
import { HandleRpc } from '@svc/messaging';
import { PayoutProofs } from './payout-proofs';
import { PayoutStore } from './payout.store';

const NOT_FOUND = 404;

/** What providers need to claim what they earned. */
@Controller()
export class ClaimController {
  constructor(
    private readonly store: PayoutStore,
    private readonly proofs: PayoutProofs,
  ) {}

  @HandleRpc(billingContracts.showClaim)
  async claim({ provider }: ShowClaimRequest): Promise<ClaimView> {
    const [payout, paid] = await Promise.all([this.store.newest(), this.store.paidTo(provider)]);
    const line = payout && (await this.proofs.lineOf(payout.payoutId, provider));
    if (!payout || !line) throw invalidRequest('nothing to claim is published', 'provider', NOT_FOUND);
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
