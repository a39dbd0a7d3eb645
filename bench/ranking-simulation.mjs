// One run of a market under a ranking: a discrete-event simulation of plans, places, attempts and reports.
import { SIMULATED_MS, WARM_UP_MS } from './ranking-scenarios.mjs';

/** A request is served well when its first token comes within this time of its arrival. */
export const DEADLINE_MS = 2_000;
/** An offer that hangs is given up after this. */
const FIRST_TOKEN_TIMEOUT_MS = 3_000;
const REFUSAL_MS = 5;
const FLAKY_MS = 100;
/** A request that finds all its offers full waits so long for a place. */
const PATIENCE_MS = 1_000;
const REPORT_MS = 1_000;
/** From a plan to the first attempt: admission. */
const ADMISSION_MS = 3;
export const CORTEXES = 2;
const DISPATCHES = 2;

/** Events in order of time; of those at one time, in the order they were put in. */
class Agenda {
  heap = [];
  count = 0;

  put(atMs, work) {
    const { heap } = this;
    const entry = { atMs, order: this.count++, work };
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(entry, heap[parent])) break;
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = entry;
  }

  take() {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
      if (child >= heap.length || !before(heap[child], last)) break;
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function before(a, b) {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** The offers' places and what each instance of dispatch has to report. */
class Market {
  nowMs = 0;
  agenda = new Agenda();
  waiting = [];
  figures = { arrived: 0, good: 0, unserved: 0, failovers: 0, paid: 0, least: 0, firstTokensMs: [] };

  constructor({ offers, requests }, policies) {
    this.requests = requests;
    this.policies = policies;
    this.cheapest = Math.min(...offers.map(({ price }) => price));
    this.states = new Map(offers.map((offer) => [offer.offerId, { offer, inFlight: 0 }]));
    this.tallies = Array.from({ length: DISPATCHES }, () => new Map());
  }

  run() {
    this.tallies.forEach((_, index) =>
      this.agenda.put((REPORT_MS * (index + 0.5)) / DISPATCHES, () => this.report(index)),
    );
    for (const request of this.requests) this.agenda.put(request.atMs, () => this.arrive(request));
    while (this.agenda.heap.length > 0) {
      const { atMs, work } = this.agenda.take();
      this.nowMs = atMs;
      work();
    }
    return this.figures;
  }

  arrive(request) {
    const policy = this.policies[Math.floor(request.instance * CORTEXES)];
    const plan = policy.plan(request, this.nowMs).map((offerId) => this.states.get(offerId));
    const dispatch = Math.floor(request.luck * DISPATCHES);
    const run = { request, plan, dispatch, failed: 0, counted: request.atMs >= WARM_UP_MS };
    if (run.counted) this.figures.arrived++;
    this.agenda.put(this.nowMs + ADMISSION_MS, () => this.next(run));
  }

  /** Goes along the plan: an offer without a place is passed over, one that failed is not asked again. */
  next(run) {
    const state = run.plan.find(({ inFlight, offer }) => inFlight < offer.concurrency);
    if (state) return this.attempt(run, state);
    if (run.plan.length === 0 || run.waited) return this.giveUp(run);
    run.waited = true;
    this.waiting.push(run);
    this.agenda.put(this.nowMs + PATIENCE_MS, () => {
      const index = this.waiting.indexOf(run);
      if (index < 0) return;
      this.waiting.splice(index, 1);
      this.giveUp(run);
    });
  }

  giveUp(run) {
    if (run.counted) this.figures.unserved++;
  }

  attempt(run, state) {
    const { offer } = state;
    const load = state.inFlight / offer.concurrency;
    state.inFlight++;
    this.tallyOf(run, offer).inFlight++;
    run.plan = run.plan.filter((each) => each !== state);
    const failsAfterMs = this.failsAfterMs(run, offer);
    if (failsAfterMs !== undefined) {
      this.agenda.put(this.nowMs + failsAfterMs, () => this.fail(run, state));
      return;
    }
    // A model server that is full is slower, to begin and to write.
    const firstTokenMs = offer.firstTokenMs * run.request.noise * (1 + 2 * load * load);
    const writingMs = (run.request.outputTokens / offer.tokensPerSecond) * 1_000 * (1 + 0.5 * load);
    this.agenda.put(this.nowMs + firstTokenMs + writingMs, () => this.serve(run, state, firstTokenMs));
    if (run.counted) this.count(run, offer, this.nowMs + firstTokenMs - run.request.atMs);
  }

  failsAfterMs({ request, failed }, { outage }) {
    if (!outage || this.nowMs < outage.fromMs || this.nowMs >= outage.untilMs) return undefined;
    if (outage.how === 'refuses') return REFUSAL_MS;
    if (outage.how === 'hangs') return FIRST_TOKEN_TIMEOUT_MS;
    return (request.luck * 7 + failed * 0.37) % 1 < 0.5 ? FLAKY_MS : undefined;
  }

  fail(run, state) {
    const tally = this.leave(run, state);
    tally.failed++;
    run.failed++;
    if (run.counted) this.figures.failovers++;
    this.next(run);
  }

  serve(run, state, firstTokenMs) {
    const tally = this.leave(run, state);
    tally.succeeded++;
    tally.firstTokenMsSum += firstTokenMs;
  }

  count({ request }, offer, firstTokenMs) {
    const { figures } = this;
    const tokens = request.inputTokens + request.outputTokens;
    figures.paid += tokens * offer.price;
    figures.least += tokens * this.cheapest;
    figures.firstTokensMs.push(firstTokenMs);
    if (firstTokenMs <= DEADLINE_MS) figures.good++;
  }

  leave(run, state) {
    state.inFlight--;
    const index = this.waiting.findIndex(({ plan }) => plan.includes(state));
    if (index >= 0) {
      const [first] = this.waiting.splice(index, 1);
      this.agenda.put(this.nowMs, () => this.next(first));
    }
    const tally = this.tallyOf(run, state.offer);
    tally.inFlight--;
    return tally;
  }

  tallyOf({ dispatch }, { offerId }) {
    const tallies = this.tallies[dispatch];
    let tally = tallies.get(offerId);
    if (!tally) tallies.set(offerId, (tally = { inFlight: 0, succeeded: 0, failed: 0, firstTokenMsSum: 0 }));
    return tally;
  }

  report(index) {
    if (this.nowMs > SIMULATED_MS) return;
    const offers = [...this.tallies[index]].map(
      ([offerId, { inFlight, succeeded, failed, firstTokenMsSum }]) => ({
        offerId,
        inFlight,
        succeeded,
        failed,
        invalid: 0,
        ...(succeeded > 0 && { firstTokenMs: firstTokenMsSum / succeeded }),
      }),
    );
    for (const tally of this.tallies[index].values()) {
      Object.assign(tally, { succeeded: 0, failed: 0, firstTokenMsSum: 0 });
    }
    for (const policy of this.policies) policy.hear({ instanceId: `dispatch_${index}`, offers }, this.nowMs);
    this.agenda.put(this.nowMs + REPORT_MS, () => this.report(index));
  }
}

/**
 * @param market what `marketOf` made, @param policies one for each instance of cortex
 * @returns figures of the counted requests
 */
export function simulate(market, policies) {
  const { arrived, good, unserved, failovers, paid, least, firstTokensMs } = new Market(
    market,
    policies,
  ).run();
  const sorted = firstTokensMs.sort((a, b) => a - b);
  const quantile = (share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
  return {
    goodput: (good / arrived) * 100,
    unserved: (unserved / arrived) * 100,
    cost: paid / least,
    p50: quantile(0.5),
    p99: quantile(0.99),
    failovers: (failovers / arrived) * 100,
  };
}
