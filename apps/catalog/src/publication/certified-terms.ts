import type { CertifiedOffer } from './markets';
import type { CertifiedOfferFacts, CertifiedTerms, PublicationReader } from './publication.store';

/**
 * The terms of certified offers, kept in memory. They never change under the same key, so each is read once; what can change is read anew
 * each time. An offer's version alone is no such key: a database that went back (a standby promoted, a backup restored) gives those that it has
 * lost to others.
 */
export class CertifiedTermsCache {
  private terms: ReadonlyMap<string, CertifiedTerms> = new Map();

  /** Joins facts with their terms, reading those that are not known. */
  async join(
    facts: readonly CertifiedOfferFacts[],
    reader: Pick<PublicationReader, 'terms'>,
  ): Promise<CertifiedOffer[]> {
    const missing = facts.filter((offer) => !this.knows(offer)).map(({ offerId }) => offerId);
    const read = new Map((await reader.terms(missing)).map((terms) => [terms.offerId, terms]));
    const joined: CertifiedOffer[] = [];
    const kept = new Map<string, CertifiedTerms>();
    for (const offer of facts) {
      // What was read is newer than the facts when somebody acted in between; what is gone since is left out.
      const terms = this.knows(offer) ? this.terms.get(offer.offerId) : read.get(offer.offerId);
      if (!terms) continue;
      kept.set(offer.offerId, terms);
      joined.push({ facts: offer, terms });
    }
    this.terms = kept;
    return joined;
  }

  private knows(facts: CertifiedOfferFacts): boolean {
    const { offerId, liveVersion, certificationId, certifiedUntil, digest } = facts;
    const known = this.terms.get(offerId);
    if (known?.digest !== digest || known.version !== liveVersion) return false;
    if (known.certificationId !== certificationId) return false;
    return known.certifiedUntil.getTime() === certifiedUntil.getTime();
  }
}
