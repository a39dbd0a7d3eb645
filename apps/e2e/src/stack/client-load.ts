import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@svc/testing';
import type { Marketplace } from './marketplace';

/** Longer than any timer of the marketplace and the replies here: whoever waits longer has been forgotten. */
const HANGS_AFTER_MS = 40_000;
/** Whoever was refused does not come back at once. */
const PAUSE_MS = 250;

/** What became of one request. */
interface Outcome {
  /** `served`, an error code, `broken off` (a stream that said so), `cut` (a connection that ended), or `hung`. */
  what: string;
  ok: boolean;
  /** Base units the reply says it cost; 0 for a failure. */
  cost: bigint;
  startedMs: number;
  endedMs: number;
  /** Of a refusal: when it says to come again; null when it does not. */
  retryAfter?: string | null;
}

/** What a client buys, over and over. */
export interface Errand {
  model: string;
  stream: boolean;
  maxTokens: number;
}

/** One request; a success is a reply that arrived whole with its charge. */
export async function buy(market: Marketplace, { model, stream, maxTokens }: Errand): Promise<Outcome> {
  const startedMs = performance.now();
  const ended = (what: string, more: Partial<Outcome> = {}): Outcome => ({
    ...{ what, ok: false, cost: 0n, startedMs, endedMs: performance.now() },
    ...more,
  });
  const signal = AbortSignal.timeout(HANGS_AFTER_MS);
  let response: Response;
  let text: string;
  try {
    const messages = [{ role: 'user', content: `Say something ${Math.random()}` }];
    const body = { model, messages, max_tokens: maxTokens, stream };
    response = await market.post(body, { connection: 'close' }, signal);
    text = await response.text();
  } catch {
    return ended(signal.aborted ? 'hung' : 'cut');
  }
  if (response.status !== 200) {
    const { error } = JSON.parse(text) as { error: { code: string } };
    return ended(error.code, { retryAfter: response.headers.get('retry-after') });
  }
  if (text.includes('"error"')) return ended('broken off');
  if (stream && !text.endsWith('data: [DONE]\n\n')) return ended('cut');
  return ended('served', { ok: true, cost: costIn(text) });
}

function costIn(text: string): bigint {
  const cost = /"cost_usdc":"(\d+)\.(\d{6})"/.exec(text);
  if (!cost) throw new Error('a success without a charge');
  return BigInt(`${cost[1]}${cost[2]}`);
}

/** Clients that each buy one reply after the other until told to stop. */
export class ClientLoad {
  readonly outcomes: Outcome[] = [];
  private stopping = false;
  private readonly clients: Promise<void>[];

  /** @param errands one a client */
  constructor(market: Marketplace, errands: readonly Errand[]) {
    this.clients = errands.map(async (errand, client) => {
      // They do not come all in one moment.
      await delay(client * 5);
      while (!this.stopping) {
        const outcome = await buy(market, errand);
        this.outcomes.push(outcome);
        if (!outcome.ok) await delay(PAUSE_MS);
      }
    });
  }

  /** Until `count` requests that were begun since then have been served. @returns when the first of them was */
  async served(count: number, sinceMs = 0): Promise<number> {
    const found = await eventually(
      () => {
        const since = this.outcomes.filter(({ ok, startedMs }) => ok && startedMs >= sinceMs);
        if (since.length < count) throw new Error(`${since.length} of ${count}: ${this.summary()}`);
        return since;
      },
      { timeoutMs: 120_000, intervalMs: 50 },
    );
    return Math.min(...found.map(({ endedMs }) => endedMs));
  }

  async stop(): Promise<Outcome[]> {
    this.stopping = true;
    await Promise.all(this.clients);
    return this.outcomes;
  }

  /** How many requests came to what, refusals by their `Retry-After`, and the longest that each took. */
  summary(): string {
    const kinds = new Map<string, { count: number; longestMs: number }>();
    for (const { what, retryAfter, startedMs, endedMs } of this.outcomes) {
      const key = retryAfter ? `${what} for ${retryAfter} s` : what;
      const { count, longestMs } = kinds.get(key) ?? { count: 0, longestMs: 0 };
      kinds.set(key, { count: count + 1, longestMs: Math.max(longestMs, endedMs - startedMs) });
    }
    return [...kinds]
      .map(([key, { count, longestMs }]) => `${count} ${key} (${(longestMs / 1_000).toFixed(1)} s at most)`)
      .join(', ');
  }
}
