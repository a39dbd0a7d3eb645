// Pairs of a hold and its settlement over billing's NATS API, from one process that is cheap itself: one wildcard inbox
// for each of the two users, a fixed reply subject for each pair under way, no timers and no promises for each call.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { connectMessaging, TurnPublisher } = require('@svc/messaging');
const { billingContracts } = require('@svc/contracts');

const ADMIT = billingContracts.admitHold.subject;
const SETTLE = billingContracts.settleHold.subject;
const DEADLINE_MS = 10_000;
/** A loss of this many milliseconds without any answer ends the run as failed instead of hanging. */
const SILENCE_MS = 20_000;

/** One request: 20 and 50 tokens at prices that make 88 base units, of which provider and platform both get some. */
export const PAIR = { held: 5_000, cost: 88 };
const USAGE = JSON.stringify({
  model: 'svc/bench@1',
  offerId: 'bench',
  provider: '0x00000000000000000000000000000000000bea7c',
  inputPricePerMtok: '400000',
  outputPricePerMtok: '1600000',
  promptTokens: 20,
  completionTokens: 50,
  tokenSource: 'provider',
  attempts: 1,
  platformLoss: '0',
  finishReason: 'stop',
});

/** Latencies in buckets of 1/16 of a power of two from 1 µs on: bounded memory, errors below 5 %. */
class Histogram {
  counts = new Uint32Array(16 * 32);
  total = 0;

  add(ms) {
    this.counts[Math.min(this.counts.length - 1, Math.floor(Math.log2(Math.max(ms * 1_000, 1)) * 16))]++;
    this.total++;
  }

  percentile(share) {
    let seen = 0;
    for (let bucket = 0; bucket < this.counts.length; bucket++) {
      seen += this.counts[bucket];
      if (seen > this.total * share) return 2 ** ((bucket + 1) / 16) / 1_000;
    }
    return NaN;
  }
}

/** Headers as the services send them, already encoded: nats.js asks for nothing else of them. */
function headersOf(requestId) {
  const text = `NATS/1.0\r\nSvc-Request-Id: ${requestId}\r\nSvc-Deadline: ${Date.now() + DEADLINE_MS}\r\n\r\n`;
  return { encode: () => Buffer.from(text, 'latin1') };
}

export class PairLoad {
  #sequence = 0;
  #free = [];
  #slots = [];
  #run = Date.now().toString(36);
  #refusals = new Map();

  /** @param natsAs the URL and credentials of a NATS user @param wallets `{ wallet, keyHash }` each */
  static async connect(natsAs, wallets) {
    const load = new PairLoad();
    load.wallets = wallets;
    load.admit = await load.#user('gateway', natsAs('gateway'), (slot, message) =>
      load.#admitted(slot, message),
    );
    load.settle = await load.#user('dispatch', natsAs('dispatch'), (slot, message) =>
      load.#settled(slot, message),
    );
    return load;
  }

  async close() {
    await this.admit.connection.close();
    await this.settle.connection.close();
  }

  /** Why pairs failed, and how often. */
  get refusals() {
    return Object.fromEntries(this.#refusals);
  }

  /** Closed loop: `inFlight` pairs, each followed by the next, over the first `walletCount` wallets. */
  saturate({ inFlight, seconds, walletCount }) {
    return this.#measure(
      walletCount,
      (endMs, start) => {
        for (let index = 0; index < inFlight; index++) start(performance.now());
        this.onDone = () => {
          if (performance.now() < endMs) start(performance.now());
        };
      },
      seconds,
    );
  }

  /** Open loop: pairs begin on schedule, whether earlier ones are answered or not; latency counts from the schedule. */
  pace({ perSecond, seconds, walletCount }) {
    return this.#measure(
      walletCount,
      (endMs, start) => {
        const startMs = performance.now();
        let begun = 0;
        const tick = () => {
          const nowMs = Math.min(performance.now(), endMs);
          for (; startMs + (begun * 1_000) / perSecond < nowMs; begun++)
            start(startMs + (begun * 1_000) / perSecond);
          if (nowMs < endMs) setTimeout(tick, 1);
        };
        this.onDone = () => undefined;
        tick();
      },
      seconds,
    );
  }

  async #measure(walletCount, begin, seconds) {
    this.pairMs = new Histogram();
    this.callMs = new Histogram();
    this.errors = 0;
    this.underWay = 0;
    this.walletCount = walletCount;
    this.lastAnswerMs = performance.now();
    const startMs = performance.now();
    begin(startMs + seconds * 1_000, (dueMs) => this.#start(dueMs));
    while (performance.now() < startMs + seconds * 1_000 || this.underWay > 0) {
      await new Promise((next) => setTimeout(next, 20));
      if (this.underWay > 0 && performance.now() - this.lastAnswerMs > SILENCE_MS)
        throw new Error('billing fell silent');
    }
    const pairs = this.pairMs.total;
    return {
      requests: pairs,
      errors: this.errors,
      perSecond: pairs / ((this.lastAnswerMs - startMs) / 1_000),
      p50Ms: this.pairMs.percentile(0.5),
      p99Ms: this.pairMs.percentile(0.99),
      callP99Ms: this.callMs.percentile(0.99),
    };
  }

  #start(dueMs) {
    const index = this.#free.pop() ?? this.#slots.push({}) - 1;
    const slot = this.#slots[index];
    slot.index = index;
    slot.payer = this.wallets[this.#sequence % this.walletCount];
    slot.holdId = `req_${this.#run}${(this.#sequence++).toString(36).padStart(16, '0')}`;
    slot.dueMs = slot.sentMs = dueMs;
    this.underWay++;
    const { keyHash } = slot.payer;
    this.admit.publisher.publish(
      ADMIT,
      `{"requestId":"${slot.holdId}","keyHash":"${keyHash}","model":"svc/bench@1","amount":"${PAIR.held}"}`,
      { reply: this.admit.prefix + index, headers: headersOf(slot.holdId) },
    );
  }

  #admitted(slot, message) {
    const nowMs = performance.now();
    this.callMs.add(nowMs - slot.sentMs);
    if (message.headers !== undefined) return this.#done(slot, message);
    slot.sentMs = nowMs;
    this.settle.publisher.publish(
      SETTLE,
      `{"holdId":"${slot.holdId}","wallet":"${slot.payer.wallet}","outcome":"post","usage":${USAGE}}`,
      { reply: this.settle.prefix + slot.index, headers: headersOf(slot.holdId) },
    );
  }

  #settled(slot, message) {
    const nowMs = performance.now();
    this.callMs.add(nowMs - slot.sentMs);
    // The reply begins with `{"state":"posted"`.
    if (message.headers !== undefined || message.data[10] !== 0x70) return this.#done(slot, message);
    this.pairMs.add(nowMs - slot.dueMs);
    this.#done(slot);
  }

  #done(slot, failure) {
    this.lastAnswerMs = performance.now();
    this.underWay--;
    this.#free.push(slot.index);
    if (failure !== undefined) {
      this.errors++;
      const reason = failure.string().slice(0, 120) || `status ${failure.headers?.code}`;
      this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
    }
    this.onDone();
  }

  async #user(service, options, take) {
    const messaging = await connectMessaging(service, options);
    const { connection, instanceId } = messaging;
    const prefix = `_INBOX.${service}.${instanceId}.`;
    connection.subscribe(`${prefix}*`, {
      callback: (error, message) => {
        if (!error) take(this.#slots[Number(message.subject.slice(prefix.length))], message);
      },
    });
    await connection.flush();
    return { connection, prefix, publisher: new TurnPublisher(connection) };
  }
}
