// The markets and the traffic on which rankings are compared. Everything follows from scenario and seed, so that each ranking meets
// the same offers, requests and outages.
import { Chance } from './ranking-chance.mjs';

/** Requests of the first seconds are served and not counted: nobody knows anything yet. */
export const WARM_UP_MS = 10_000;
export const SIMULATED_MS = 70_000;

/**
 * `load`: share of all places that the traffic takes on average; `bursts`: how many times the usual rate for 2 s, about every 10 s;
 * `tokens`: median reply; `outages`: share of the offers that fail for a while, in each of three ways.
 */
export const SCENARIOS = {
  steady: { load: 0.5, tokens: 200 },
  bursts: { load: 0.3, tokens: 200, bursts: 4 },
  outages: { load: 0.4, tokens: 200, outages: 0.25 },
  'bursts and outages': { load: 0.25, tokens: 200, bursts: 4, outages: 0.25 },
  'short replies': { load: 0.25, tokens: 8 },
  'nearly full': { load: 0.65, tokens: 200 },
};

const OFFERS = 16;
const FAILURES = ['refuses', 'hangs', 'flaky'];

/** @returns offers with price, places, speed and outages; the cheapest are neither the fastest nor the largest */
function offersOf({ outages = 0 }, chance) {
  return Array.from({ length: OFFERS }, (_, index) => {
    const offer = {
      offerId: `offer_${index}`,
      /** Base units per million tokens, both of input and output: 100,000 to 300,000. */
      price: Math.round(chance.between(100_000, 300_000)),
      concurrency: Math.round(chance.logNormal(16, 0.6)) + 1,
      firstTokenMs: chance.logNormal(250, 0.5),
      tokensPerSecond: chance.logNormal(60, 0.3),
      outage: undefined,
    };
    const fromMs = chance.between(WARM_UP_MS, SIMULATED_MS - 25_000);
    const outage = {
      fromMs,
      untilMs: fromMs + chance.between(5_000, 20_000),
      how: FAILURES[chance.below(3)],
    };
    if (chance.next() < outages) offer.outage = outage;
    return offer;
  });
}

/** @returns arrivals in order, each with what it brings */
function requestsOf({ load, tokens, bursts = 1 }, offers, chance) {
  const meanTokens = tokens * Math.exp(0.5 * 0.8 ** 2);
  const places = offers.reduce((sum, { concurrency }) => sum + concurrency, 0);
  const meanMs =
    offers.reduce(
      (sum, { concurrency, firstTokenMs, tokensPerSecond }) =>
        sum + concurrency * (firstTokenMs + (meanTokens / tokensPerSecond) * 1_000),
      0,
    ) / places;
  const burstShare = bursts > 1 ? 0.2 : 0;
  const usualGapMs = (meanMs / (places * load)) * (1 + burstShare * (bursts - 1));
  const requests = [];
  let atMs = 0;
  let untilMs = 0;
  let bursting = false;
  while (atMs < SIMULATED_MS) {
    if (atMs >= untilMs) {
      bursting = bursts > 1 && !bursting;
      untilMs = atMs + (bursts > 1 ? (bursting ? 2_000 : chance.exponential(8_000)) : Infinity);
    }
    atMs += chance.exponential(bursting ? usualGapMs / bursts : usualGapMs);
    const outputTokens = Math.max(1, Math.round(chance.logNormal(tokens, 0.8)));
    requests.push({
      requestId: `req_${requests.length}_${chance.below(2 ** 31)}`,
      atMs,
      inputTokens: Math.round(chance.logNormal(400, 0.8)),
      outputTokens,
      luck: chance.next(),
      noise: chance.logNormal(1, 0.3),
      instance: chance.next(),
    });
  }
  return requests;
}

export function marketOf(scenario, seed) {
  const chance = new Chance(seed + 1);
  const offers = offersOf(SCENARIOS[scenario], chance);
  return { offers, requests: requestsOf(SCENARIOS[scenario], offers, chance) };
}
