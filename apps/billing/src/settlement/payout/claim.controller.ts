import { Controller } from '@nestjs/common';
import { ShowClaimRequest, billingContracts } from '@svc/contracts';
import type { ClaimView } from '@svc/contracts';
import { merkleProof, payoutLeaf } from '@svc/contracts-evm';
import { invalidRequest } from '@svc/errors';
import { HandleRpc } from '@svc/messaging';
import { PayoutStore } from './payout.store';

const NOT_FOUND = 404;

/** What providers need to claim what they earned. */
@Controller()
export class ClaimController {
  constructor(private readonly store: PayoutStore) {}

  @HandleRpc(billingContracts.showClaim)
  async claim({ provider }: ShowClaimRequest): Promise<ClaimView> {
    const [payout, { paid }] = await Promise.all([this.store.newest(), this.store.paidView()]);
    const lines = payout ? await this.store.linesOf(payout.payoutId) : [];
    const index = lines.findIndex((line) => line.provider === provider);
    const line = lines[index];
    if (!payout || !line) throw invalidRequest('nothing to claim is published', 'provider', NOT_FOUND);
    return {
      provider,
      cumulative: String(line.cumulative),
      proof: merkleProof(lines.map(payoutLeaf), index),
      root: payout.root,
      state: payout.state,
      publishedAt: payout.createdAt.toISOString(),
      paid: String(paid.get(provider) ?? 0n),
    };
  }
}
