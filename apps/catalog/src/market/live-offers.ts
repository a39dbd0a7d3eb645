import { blendedOf } from '../publication/markets';
import type { Markets } from '../publication/markets';
import type { CertifiedTerms } from '../publication/publication.store';

/** The live offers of each model, the cheapest first; of equals, the one with the lower id. Put in order once a publication. */
export class LiveOffers {
  private readonly byModel = new Map<string, CertifiedTerms[]>();
  private readonly ordered = new Set<string>();

  constructor(readonly markets: Markets) {
    for (const { terms } of markets.live) {
      const offers = this.byModel.get(terms.model);
      if (offers) offers.push(terms);
      else this.byModel.set(terms.model, [terms]);
    }
  }

  of(model: string): readonly CertifiedTerms[] {
    const offers = this.byModel.get(model) ?? [];
    if (!this.ordered.has(model) && offers.length > 1) {
      const prices = new Map(offers.map((terms) => [terms, blendedOf(terms)]));
      offers.sort((a, b) => {
        const difference = (prices.get(a) ?? 0n) - (prices.get(b) ?? 0n);
        if (difference !== 0n) return difference < 0n ? -1 : 1;
        return a.offerId < b.offerId ? -1 : 1;
      });
      this.ordered.add(model);
    }
    return offers;
  }
}
