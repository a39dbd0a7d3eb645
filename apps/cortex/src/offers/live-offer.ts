import type { CertifiedFeatures, OfferView } from '@svc/contracts';
import { blendedPriceOf, isBaseUnits } from '@svc/money';
import { hashOf } from '../ranking/draw';

/** An offer of the published view, read once instead of at every plan. */
export interface LiveOffer {
  readonly view: OfferView;
  /** Base units per million tokens. */
  readonly inputPricePerMtok: bigint;
  readonly outputPricePerMtok: bigint;
  /** Of the offer's id. */
  readonly hash: number;
}

/** Compares two offers of a model by their blended price, the lower first; of equals, by id. */
export function byBlendedPrice(a: LiveOffer, b: LiveOffer): number {
  const [priceA, priceB] = [blendedPrice(a), blendedPrice(b)];
  if (priceA !== priceB) return priceA < priceB ? -1 : 1;
  return a.view.offerId < b.view.offerId ? -1 : 1;
}

function blendedPrice({ inputPricePerMtok, outputPricePerMtok }: LiveOffer): bigint {
  return blendedPriceOf({ inputPerMtok: inputPricePerMtok, outputPerMtok: outputPricePerMtok });
}

/** @returns undefined for an entry that is no offer: what is in the bucket is not taken on trust */
export function readLiveOffer(view: OfferView): LiveOffer | undefined {
  const { offerId, model, inputPricePerMtok, outputPricePerMtok, concurrency, contextLimit } = view;
  if (typeof offerId !== 'string' || typeof model !== 'string') return undefined;
  if (!isBaseUnits(inputPricePerMtok) || !isBaseUnits(outputPricePerMtok)) return undefined;
  if (view.mapping !== undefined && typeof view.mapping !== 'string') return undefined;
  if (view.endsAtMs !== undefined && !(view.endsAtMs > 0)) return undefined;
  if (!(concurrency >= 1) || !(contextLimit >= 1) || !isCertified(view.certified)) return undefined;
  return {
    view,
    inputPricePerMtok: BigInt(inputPricePerMtok),
    outputPricePerMtok: BigInt(outputPricePerMtok),
    hash: hashOf(offerId),
  };
}

function isCertified(certified: CertifiedFeatures | undefined): boolean {
  if (!certified || !(certified.maxOutputTokens >= 1)) return false;
  return certified.tools === undefined || Array.isArray(certified.tools.choices);
}
