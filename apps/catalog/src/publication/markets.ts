import { nextMomentOf, offerState } from '../offer/offer-state';
import type { OfferFacts } from '../offer/offer-state';
import { isAbler } from './offer-order';
import type { CertifiedOfferFacts, CertifiedTerms } from './publication.store';

/** An offer that is certified and not withdrawn. */
export interface CertifiedOffer {
  facts: CertifiedOfferFacts;
  terms: CertifiedTerms;
}

/** What the offers of one model come to. */
export interface Market {
  /** The live one with the lowest price. */
  lowest?: CertifiedTerms;
  /** The live one that can do most, and the same of those that something speaks against for the moment. */
  ablest?: CertifiedTerms;
  ablestAway?: CertifiedTerms;
}

/** Which offers are live at a moment, and what that makes of each model. */
export class Markets {
  readonly live: CertifiedTerms[] = [];
  readonly nextMoment: Date | undefined;
  private readonly byModel = new Map<string, Market>();

  constructor(offers: Iterable<CertifiedOffer>, now: Date) {
    let next: Date | undefined;
    for (const offer of offers) {
      const facts = wholeFacts(offer);
      this.add(offer.terms, offerState(facts, now).state === 'live');
      const moment = nextMomentOf(facts, now);
      if (moment && (!next || moment < next)) next = moment;
    }
    this.nextMoment = next;
  }

  of(model: string): Readonly<Market> {
    return this.byModel.get(model) ?? {};
  }

  private add(terms: CertifiedTerms, isLive: boolean): void {
    const market = this.byModel.get(terms.model) ?? {};
    this.byModel.set(terms.model, market);
    if (!isLive) {
      if (!market.ablestAway || isAbler(terms, market.ablestAway)) market.ablestAway = terms;
      return;
    }
    this.live.push(terms);
    if (!market.ablest || isAbler(terms, market.ablest)) market.ablest = terms;
    if (!market.lowest || isLower(terms, market.lowest)) market.lowest = terms;
  }
}

/** The lowest offer is the one with the lower input price; where that is the same, the lower output price. */
function isLower(a: CertifiedTerms, b: CertifiedTerms): boolean {
  if (a.inputPricePerMtok !== b.inputPricePerMtok) {
    return BigInt(a.inputPricePerMtok) < BigInt(b.inputPricePerMtok);
  }
  return BigInt(a.outputPricePerMtok) < BigInt(b.outputPricePerMtok);
}

/** Field by field: spreading ten thousand objects takes longer than all the rest. */
function wholeFacts({ facts, terms }: CertifiedOffer): OfferFacts {
  return {
    version: facts.version,
    expiresAt: facts.expiresAt,
    liveVersion: facts.liveVersion,
    liveExpiresAt: terms.expiresAt,
    certifiedUntil: facts.certifiedUntil,
    withdrawnAt: null,
    providerSuspensionReason: facts.providerSuspensionReason,
    suspensionReason: facts.suspensionReason,
    watchCode: facts.watchCode,
    watchReason: facts.watchReason,
    refusal: null,
  };
}
