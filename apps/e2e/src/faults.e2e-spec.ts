import { eventually } from '@svc/testing';
import { Marketplace, readReady } from './stack/marketplace';

const MODEL = 'svc/demo-small@1';
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
const CONCURRENCY = 8;

interface Outcome {
  ok: boolean;
  /** Base units the reply says it cost; 0 for a failure. */
  cost: bigint;
}

/** One request, plain or streamed; a success is a reply that arrived whole with its charge. */
async function buy(market: Marketplace, stream: boolean): Promise<Outcome> {
  const failed = { ok: false, cost: 0n };
  try {
    const response = await market.post(
      {
        model: MODEL,
        messages: [{ role: 'user', content: `Say something ${Math.random()}` }],
        max_tokens: 24,
        stream,
      },
      { connection: 'close' },
    );
    const text = await response.text();
    if (response.status !== 200) return failed;
    if (!stream) return { ok: true, cost: costIn(text) };
    if (!text.endsWith('data: [DONE]\n\n') || text.includes('"error"')) return failed;
    return { ok: true, cost: costIn(text) };
  } catch {
    return failed;
  }
}

function costIn(text: string): bigint {
  const cost = /"cost_usdc":"(\d+)\.(\d{6})"/.exec(text);
  if (!cost) throw new Error('a success without a charge');
  return BigInt(`${cost[1]}${cost[2]}`);
}

/** Keeps `CONCURRENCY` requests going until told to stop. */
function startLoad(market: Marketplace): { outcomes: Outcome[]; stop(): Promise<Outcome[]> } {
  const outcomes: Outcome[] = [];
  let stopping = false;
  const workers = Array.from({ length: CONCURRENCY }, async (_, worker) => {
    while (!stopping) outcomes.push(await buy(market, worker % 2 === 0));
  });
  return {
    outcomes,
    stop: async () => {
      stopping = true;
      await Promise.all(workers);
      return outcomes;
    },
  };
}

describe('a service killed under load', () => {
  let market: Marketplace;

  beforeEach(async () => {
    market = await Marketplace.connect();
  });
  afterEach(() => market.close());

  it.each(SERVICES)(
    '%s: nobody pays for a failure or twice, nothing stays held, and it mends itself',
    async (service) => {
      await market.idle(60_000);
      const before = await market.charged();
      const load = startLoad(market);
      await reached(() => load.outcomes.filter(({ ok }) => ok).length, 20);

      const [victim] = readReady().processes[service] ?? [];
      if (victim === undefined) throw new Error(`no process of ${service} in ready.json`);
      process.kill(victim, 'SIGKILL');
      await eventually(
        () => {
          const [successor] = readReady().processes[service] ?? [];
          if (successor === undefined || successor === victim) throw new Error(`${service} is not back`);
          return true;
        },
        { timeoutMs: 30_000 },
      );
      const seen = load.outcomes.length;
      await reached(() => load.outcomes.slice(seen).filter(({ ok }) => ok).length, 20);
      const outcomes = await load.stop();

      // Refunds and expiries of what was under way at the kill take a lease (15 s here) at most.
      await market.idle(60_000);
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
      // Each worker may have had one reply on the wire whose delivery was never confirmed.
      expect(bought - charged).toBeLessThanOrEqual(dearest * BigInt(CONCURRENCY));
      const balance = await market.trialBalance();
      expect(balance.debits).toBe(balance.credits);
      expect(balance.heldByWallets).toBe(balance.heldByOpenHolds);
      expect(await buy(market, false)).toMatchObject({ ok: true });
    },
  );
});

async function reached(count: () => number, target: number): Promise<void> {
  await eventually(
    () => {
      if (count() < target) throw new Error(`${count()} of ${target}`);
      return true;
    },
    { timeoutMs: 60_000 },
  );
}
