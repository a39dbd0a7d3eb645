import type { ParallelBeside } from '@svc/contracts';
import { blendedPriceOf } from '@svc/money';
import { nextMomentOf, offerState } from '../offer-state/offer-state';
import type { OfferFacts } from '../offer-state/offer-state';
import { aboveCeiling } from '../offer-state/price-ceiling';
import { isAbler } from './offer-order';
import type { CertifiedOfferFacts, CertifiedTerms, DefinedModel } from './publication.store';

/** An offer that is certified and not withdrawn. */
export interface CertifiedOffer {
  facts: CertifiedOfferFacts;
  terms: CertifiedTerms;
}

/** An offer that is live, and when it is over unless somebody acts. */
export interface LiveOffer {
  terms: CertifiedTerms;
  endsAt: Date;
}

/** What the offers of one model come to. */
export interface Market {
  /** The live one with the lowest blended price; of equals, the one with the lower input price. */
  lowest?: CertifiedTerms;
  /** The live one that can do most, and the same of those that something speaks against for the moment. */
  ablest?: CertifiedTerms;
  ablestAway?: CertifiedTerms;
  /** Of those that are certified for calls in parallel, live or away: what else they can do. */
  parallel?: ParallelBeside;
}

/** Which offers are live at a moment, and what that makes of each model. */
export class Markets {
  readonly live: LiveOffer[] = [];
  readonly nextMoment: Date | undefined;
  private readonly byModel = new Map<string, Market>();
  private readonly definitions: ReadonlyMap<string, DefinedModel>;

  /** @param models all that there are: no offer is one of another */
  constructor(offers: Iterable<CertifiedOffer>, models: Iterable<DefinedModel>, now: Date) {
    this.definitions = new Map(Array.from(models, (model) => [model.id, model]));
    let next: Date | undefined;
    for (const offer of offers) {
      const model = this.definitions.get(offer.terms.model);
      // Defined after the models were read: the next publication has both.
      if (!model) continue;
      const facts = wholeFacts(offer, model);
      const moment = nextMomentOf(facts, now);
      this.add(offer.terms, model, offerState(facts, now).state === 'live' ? moment : undefined);
      if (moment && (!next || moment < next)) next = moment;
    }
    this.nextMoment = next;
  }

  of(model: string): Readonly<Market> {
    return this.byModel.get(model) ?? {};
  }

  definitionOf(model: string): DefinedModel | undefined {
    return this.definitions.get(model);
  }

  /** @param endsAt of one that is live */
  private add(terms: CertifiedTerms, model: DefinedModel, endsAt: Date | undefined): void {
    const market = this.byModel.get(terms.model) ?? {};
    this.byModel.set(terms.model, market);
    if (terms.scope.toolContract?.parallel_tool_calls) {
      market.parallel = withOneMore(market.parallel, {
        strictSchemas: terms.scope.toolContract.strict_schemas,
        structuredOutputs: terms.scope.capabilities.structuredOutputs,
      });
    }
    if (!endsAt) {
      if (!market.ablestAway || isAbler(terms, market.ablestAway, model)) market.ablestAway = terms;
      return;
    }
    this.live.push({ terms, endsAt });
    if (!market.ablest || isAbler(terms, market.ablest, model)) market.ablest = terms;
    if (!market.lowest || isLower(terms, market.lowest)) market.lowest = terms;
  }
}

export function withOneMore(all: ParallelBeside | undefined, one: ParallelBeside): ParallelBeside {
  return {
    strictSchemas: one.strictSchemas || all?.strictSchemas === true,
    structuredOutputs: one.structuredOutputs || all?.structuredOutputs === true,
  };
}

/**
 * Neither price alone says who is lowest: one that asks nothing for input may ask anything for output. Three parts input and one part
 * output are about what requests are made of; both prices that are shown are then the same offer's.
 */
function isLower(a: CertifiedTerms, b: CertifiedTerms): boolean {
  const [priceA, priceB] = [blendedOf(a), blendedOf(b)];
  if (priceA !== priceB) return priceA < priceB;
  return BigInt(a.inputPricePerMtok) < BigInt(b.inputPricePerMtok);
}

/** What an offer asks for a million tokens of an ordinary request, base units. */
export function blendedOf({ inputPricePerMtok, outputPricePerMtok }: CertifiedTerms): bigint {
  return blendedPriceOf({
    inputPerMtok: BigInt(inputPricePerMtok),
    outputPerMtok: BigInt(outputPricePerMtok),
  });
}

/** Field by field: spreading ten thousand objects takes longer than all the rest. */
function wholeFacts({ facts, terms }: CertifiedOffer, model: DefinedModel): OfferFacts {
  return {
    version: facts.version,
    expiresAt: facts.expiresAt,
    liveVersion: facts.liveVersion,
    liveExpiresAt: terms.expiresAt,
    certifiedUntil: facts.certifiedUntil,
    withdrawnAt: null,
    aboveCeiling: aboveCeiling(terms, model)?.message ?? null,
    providerSuspensionReason: facts.providerSuspensionReason,
    suspensionReason: facts.suspensionReason,
    watchCode: facts.watchCode,
    watchReason: facts.watchReason,
    refusal: null,
  };
}
