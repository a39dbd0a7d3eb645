import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@svc/testing';
import { rowsOf } from './stack/database';
import { ExtraService } from './stack/extra-service';
import { HeldProvider } from './stack/held-provider';
import { Marketplace, readReady } from './stack/marketplace';

const SERVICES = ['dispatch', 'billing', 'gateway', 'nats', 'postgres'] as const;
const CONCURRENCY = 24;
/** Of the requests, so many are broken off by their client. */
const HANG_UPS = 0.2;

/** One key, and what came back under it. */
interface Kept {
  key: string;
  replies: Set<string>;
}

describe('requests with keys, repeated until they are served, while a service is killed', () => {
  let market: Marketplace;
  let provider: HeldProvider;
  let secondGateway: ExtraService;
  let secondDispatch: ExtraService;

  beforeAll(async () => {
    market = await Marketplace.connect();
    provider = await HeldProvider.start();
    // Long enough for the kill to find some at every step of their way.
    provider.withinMs = 150;
    [secondGateway, secondDispatch] = await Promise.all([
      ExtraService.start(market.ready, 'gateway'),
      ExtraService.start(market.ready, 'dispatch'),
    ]);
  });
  afterAll(async () => {
    await Promise.all([secondGateway.stop(), secondDispatch.stop(), provider.close()]);
    await market.close();
  });

  /** @returns the reply if it is a whole success */
  async function send(model: string, key: string, hangUp: boolean): Promise<string | undefined> {
    const gateway = Math.random() < 0.5 ? market.ready.gateway : secondGateway.url;
    const stream = key.endsWith('s');
    try {
      const response = await fetch(`${gateway}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${market.ready.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': key,
          connection: 'close',
        },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: key }], max_tokens: 50, stream }),
        signal: AbortSignal.timeout(hangUp ? randomInt(1, 200) : 30_000),
      });
      const text = await response.text();
      const whole = response.status === 200 && (!stream || text.endsWith('data: [DONE]\n\n'));
      if (!whole || text.includes('"error"')) return undefined;
      // Comments are no part of the reply: whoever had to wait for billing was told that the stream is alive.
      return `${response.headers.get('x-svc-request-id')} ${text.replace(/^:.*\n\n/gm, '')}`;
    } catch {
      return undefined;
    }
  }

  /** Sends one request until it is served twice. */
  async function buy(model: string, key: string): Promise<Kept> {
    const replies = new Set<string>();
    for (let served = 0; served < 2;) {
      const reply = await send(model, key, Math.random() < HANG_UPS);
      if (reply === undefined) {
        await delay(100);
        continue;
      }
      replies.add(reply);
      served++;
    }
    return { key, replies };
  }

  it.each(SERVICES)(
    '%s: each is charged once, and every success under a key is the same',
    async (service) => {
      const model = await market.models.offer(`keyed-${service}`, [provider.url], {
        ...{ firstTokenTimeoutMs: 10_000, chunkTimeoutMs: 10_000, concurrency: 64 },
      });
      await eventually(
        async () => (await fetch(`${secondGateway.url}/v1/models/${encodeURIComponent(model)}`)).ok,
      );
      const bought: Kept[] = [];
      let stopping = false;
      const workers = Array.from({ length: CONCURRENCY }, async (_, worker) => {
        for (let count = 0; !stopping; count++) {
          bought.push(await buy(model, `${service}-${worker}-${count}-${count % 2 ? 's' : 'p'}`));
        }
      });
      const reached = (target: number) => eventually(() => bought.length >= target, { timeoutMs: 120_000 });
      await reached(100);
      const [victim] = readReady().processes[service] ?? [];
      if (victim === undefined) throw new Error(`no process of ${service} in ready.json`);
      process.kill(victim, 'SIGKILL');
      await eventually(
        () => {
          const [successor] = readReady().processes[service] ?? [];
          return successor !== undefined && successor !== victim;
        },
        { timeoutMs: 60_000 },
      );
      await reached(bought.length + 100);
      stopping = true;
      await Promise.all(workers);
      await market.idle(60_000);

      const different = bought.filter(({ replies }) => replies.size !== 1);
      expect(different).toEqual([]);
      const rows = await rowsOf<{ holdId: string }>(
        market.ready.databaseUrl,
        `SELECT u.hold_id AS "holdId" FROM billing.usage_record u WHERE u.model = $1 AND NOT u.late AND NOT EXISTS (
         SELECT FROM billing.credit c WHERE c.wallet = u.wallet AND c.kind = 'refund' AND c.credit_id = u.hold_id)`,
        [model],
      );
      const charged = rows.map(({ holdId }) => holdId).sort();
      const told = bought.map(({ replies }) => [...replies][0]?.split(' ', 1)[0]).sort();
      expect(charged).toEqual(told);
      const balance = await market.trialBalance();
      expect(balance.debits).toBe(balance.credits);
    },
    480_000,
  );
});
