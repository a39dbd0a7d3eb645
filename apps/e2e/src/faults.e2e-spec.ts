import { eventually, startFaultyProvider } from '@svc/testing';
import type { FaultyProvider } from '@svc/testing';
import { ClientLoad, buy } from './stack/client-load';
import type { Errand } from './stack/client-load';
import { Marketplace, readReady } from './stack/marketplace';

const SERVICES = [
  'catalog',
  'cortex',
  'billing',
  'dispatch',
  'gateway',
  'provider-node',
  'nats',
  'postgres',
] as const;

const STREAMS = 200;
const PLAIN = 8;
/** A slow stream: a word each quarter of a second, for three seconds. */
const SLOW = { text: 'These words come one by one and there are twelve of them.', pauseMs: 250 };
const PROVIDERS = 4;
/** A little more than they are asked for, so that nobody is refused for want of places. */
const CONCURRENCY = 64;

const PLAIN_ERRAND: Errand = { model: 'svc/demo-small@1', stream: false, maxTokens: 24 };

describe(`a service killed under ${STREAMS} concurrent streams`, () => {
  /** Keeps the slow model's endpoints open. */
  let supply: Marketplace;
  let market: Marketplace;
  let errands: Errand[];
  const providers: FaultyProvider[] = [];

  beforeAll(async () => {
    supply = await Marketplace.connect();
    for (let count = 0; count < PROVIDERS; count++)
      providers.push(await startFaultyProvider('trickle', SLOW));
    const model = await supply.models.offer(
      'slow',
      providers.map(({ url }) => url),
      { concurrency: CONCURRENCY, firstTokenTimeoutMs: 5_000, chunkTimeoutMs: 5_000 },
    );
    errands = [
      ...Array.from({ length: STREAMS }, () => ({ model, stream: true, maxTokens: 24 })),
      ...Array.from({ length: PLAIN }, () => PLAIN_ERRAND),
    ];
  });
  beforeEach(async () => {
    market = await Marketplace.connect();
  });
  afterEach(() => market.close());
  afterAll(async () => {
    await Promise.all(providers.map((provider) => provider.stop()));
    await supply.close();
  });

  it.each(SERVICES)(
    '%s: nobody hangs, pays for a failure or twice, nothing stays held, and it mends itself',
    async (service) => {
      await market.idle();
      const before = await market.charged();
      const load = new ClientLoad(market, errands);
      await load.served(STREAMS);

      const [victim] = readReady().processes[service] ?? [];
      if (victim === undefined) throw new Error(`no process of ${service} in ready.json`);
      process.kill(victim, 'SIGKILL');
      const killedMs = performance.now();
      await eventually(
        () => {
          const [successor] = readReady().processes[service] ?? [];
          if (successor === undefined || successor === victim) throw new Error(`${service} is not back`);
          return true;
        },
        { timeoutMs: 60_000 },
      );
      const servedMs = await load.served(STREAMS, killedMs);
      const outcomes = await load.stop();
      const recovered = ((servedMs - killedMs) / 1_000).toFixed(1);
      process.stdout.write(`${service}: first served ${recovered} s after the kill; ${load.summary()}\n`);
      expect(outcomes.filter(({ what }) => what === 'hung')).toEqual([]);
      for (const { what, retryAfter } of outcomes) {
        if (what === 'no_capacity' || what === 'provider_output_invalid') expect(retryAfter).toMatch(/^\d+$/);
      }

      // Refunds and expiries of what was under way at the kill take a lease (15 s here) at most.
      await market.idle();
      const bought = outcomes.reduce((sum, { cost }) => sum + cost, 0n);
      await eventually(
        async () => {
          // At most what the client was told: a reply lost with the process is refunded.
          const charged = (await market.charged()) - before;
          if (charged > bought) throw new Error(`charged ${charged}, bought ${bought}`);
          return true;
        },
        { timeoutMs: 30_000 },
      );
      const charged = (await market.charged()) - before;
      const dearest = outcomes.reduce((most, { cost }) => (cost > most ? cost : most), 0n);
      // Each client may have had one reply on the wire whose delivery was never confirmed.
      expect(bought - charged).toBeLessThanOrEqual(dearest * BigInt(errands.length));
      const balance = await market.trialBalance();
      expect(balance.debits).toBe(balance.credits);
      expect(balance.heldByWallets).toBe(balance.heldByOpenHolds);
      // What was served since may all have been streams: who sells the other model may be given another try only now.
      await eventually(async () => (await buy(market, PLAIN_ERRAND)).ok, { timeoutMs: 60_000 });
    },
    // As much as all its waits together.
    480_000,
  );
});
