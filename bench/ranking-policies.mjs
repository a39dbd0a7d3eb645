// The rankings that are compared: ours, as built, and those that everybody knows.
import { createRequire } from 'node:module';
import { Chance } from './ranking-chance.mjs';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const built = (path) => require(`../apps/cortex/dist/${path}.js`);
const { OfferHealthService } = built('health/offer-health.service');
const { hashOf } = built('ranking/draw');
const { TUNING, rankCandidates } = built('ranking/rank-candidates');
const { highestFairPrice } = built('ranking/price-outliers');
const { likelyDemand, requestPrice } = built('ranking/request-price');
export { TUNING };

/** A plan's attempts on the marketplace. */
const MOST_ATTEMPTS = 4;

/** Ours: what cortex does with offers of one model. `planned: false` leaves its own plans out of account. */
class Svc {
  health = new OfferHealthService();

  constructor(offers, { planned = true, ...tuning } = {}) {
    this.tuning = { ...TUNING, ...tuning };
    this.planned = planned;
    this.offers = offers.map(({ offerId, price, concurrency }) => ({
      offerId,
      hash: hashOf(offerId),
      provider: offerId,
      concurrency,
      prices: { inputPricePerMtok: BigInt(price), outputPricePerMtok: BigInt(price) },
    }));
  }

  hear(report, nowMs) {
    this.health.record(report, nowMs);
  }

  plan({ requestId, inputTokens }, nowMs) {
    const demand = { inputTokens, outputTokens: 1_000 };
    const candidates = this.offers.map((offer) => ({
      ...offer,
      price: requestPrice(offer.prices, demand),
      likelyPrice: requestPrice(offer.prices, likelyDemand(demand)),
      health: this.health.of(offer.offerId, nowMs),
    }));
    const fair = highestFairPrice(candidates);
    const ranked = rankCandidates(
      candidates.filter(({ price }) => price <= fair),
      hashOf(requestId),
      this.tuning,
    );
    const plan = ranked.slice(0, MOST_ATTEMPTS).map(({ offerId }) => offerId);
    if (this.planned) this.health.planned(plan[0], nowMs);
    return plan;
  }
}

class Random {
  constructor(offers, seed) {
    this.offers = offers;
    this.chance = new Chance(seed);
  }

  hear() {}

  plan() {
    return firstOf(this.chance.shuffle(this.offers));
  }
}

class RoundRobin {
  constructor(offers, seed) {
    this.offers = offers;
    this.turn = seed % offers.length;
  }

  hear() {}

  plan() {
    this.turn = (this.turn + 1) % this.offers.length;
    return firstOf([...this.offers.slice(this.turn), ...this.offers.slice(0, this.turn)]);
  }
}

class CheapestFirst {
  constructor(offers) {
    this.offers = [...offers].sort((a, b) => a.price - b.price);
  }

  hear() {}

  plan() {
    return firstOf(this.offers);
  }
}

/** By share of places taken as last reported; chance decides among equals. */
class LeastLoaded {
  health = new OfferHealthService();

  constructor(offers, seed) {
    this.offers = offers;
    this.chance = new Chance(seed);
  }

  hear(report, nowMs) {
    this.health.record(report, nowMs);
  }

  plan(_request, nowMs) {
    const loads = new Map(
      this.offers.map((offer) => [offer, this.health.of(offer.offerId, nowMs).inFlight / offer.concurrency]),
    );
    return firstOf(this.chance.shuffle(this.offers).sort((a, b) => loads.get(a) - loads.get(b)));
  }
}

function firstOf(offers) {
  return offers.slice(0, MOST_ATTEMPTS).map(({ offerId }) => offerId);
}

export const svc = (tuning) => (offers) => new Svc(offers, tuning);

/** By name: what makes the ranking of one instance of cortex, from the offers and a seed. */
export const POLICIES = {
  svc: svc(),
  'svc without chance': svc({ sharpness: Infinity, roominess: 0 }),
  'svc without chance, blind to its plans': svc({ sharpness: Infinity, roominess: 0, planned: false }),
  random: (offers, seed) => new Random(offers, seed),
  'round-robin': (offers, seed) => new RoundRobin(offers, seed),
  'cheapest-first': (offers) => new CheapestFirst(offers),
  'least-loaded': (offers, seed) => new LeastLoaded(offers, seed),
};
