import { startFaultyProvider } from '@svc/testing';
import type { FaultyProvider } from '@svc/testing';
import { ClientLoad } from './stack/client-load';
import { Marketplace } from './stack/marketplace';

const REQUESTS = 1_000;
const CLIENTS = 12;
const PROVIDERS = 3;

/** Whatever goes wrong before the first token; every second request is served. */
const FAULTS = [
  'status-500',
  'reset',
  'error-in-200',
  'hang-before-first-token',
  'html',
  'status-429-bare',
  'cut-early',
  'wrong-role',
] as const;

describe('one of three providers fails half of its requests', () => {
  let market: Marketplace;
  const providers: FaultyProvider[] = [];

  beforeAll(async () => {
    market = await Marketplace.connect();
    for (let count = 0; count < PROVIDERS; count++) providers.push(await startFaultyProvider('ok'));
  });
  afterAll(async () => {
    await Promise.all(providers.map((provider) => provider.stop()));
    await market.close();
  });

  it(`${REQUESTS} requests, plain and streamed: no client sees it, each pays what it was told`, async () => {
    // The first is the cheapest: whoever may be asked first is.
    const model = await market.models.offer(
      'half-failing',
      providers.map(({ url }) => url),
      // All of them are in this process, as the clients are: an honest one may stand still for a while as well.
      { concurrency: CLIENTS, firstTokenTimeoutMs: 5_000, chunkTimeoutMs: 5_000 },
    );
    let asked = 0;
    let failures = 0;
    providers[0]?.behave(() => {
      if (++asked % 2 === 0) return 'ok';
      return FAULTS[failures++ % FAULTS.length] ?? 'reset';
    });
    await market.idle();
    const before = await market.charged();
    const errands = Array.from({ length: CLIENTS }, (_, client) => ({
      ...{ model, stream: client % 2 === 0, maxTokens: 32 },
    }));
    const load = new ClientLoad(market, errands);
    await load.served(REQUESTS);
    const outcomes = await load.stop();
    process.stdout.write(`the cheapest was asked ${asked} times and failed ${failures}; ${load.summary()}\n`);
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
    // Some: its breaker and its health soon keep requests from it.
    expect(failures).toBeGreaterThanOrEqual(3);
    await market.idle();
    expect((await market.charged()) - before).toBe(outcomes.reduce((sum, { cost }) => sum + cost, 0n));
  }, 300_000);
});
