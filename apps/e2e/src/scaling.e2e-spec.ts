import { pause } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import { ExtraService } from './stack/extra-service';
import { HeldProvider } from './stack/held-provider';
import { Marketplace } from './stack/marketplace';

const CLIENTS = 12;
const GRACE_MS = 20_000;
/** Whoever was refused does not come back at once. */
const PAUSE_MS = 250;

interface Bought {
  /** Undefined for a success, else what the client saw. */
  problem: string | undefined;
  /** Base units. */
  cost: bigint;
}

/** Clients that buy one reply after the other, every second one as a stream. */
class Load {
  readonly bought: Bought[] = [];
  private stopping = false;
  private readonly clients: Promise<void>[];

  constructor(private readonly buy: (stream: boolean) => Promise<Bought>) {
    this.clients = Array.from({ length: CLIENTS }, async (_, number) => {
      while (!this.stopping) {
        const bought = await this.buy(number % 2 === 0);
        this.bought.push(bought);
        if (bought.problem !== undefined) await pause(PAUSE_MS);
      }
    });
  }

  /** Resolves when so many more were bought. */
  async goesOn(count: number): Promise<void> {
    const target = this.bought.length + count;
    await eventually(() => this.bought.length >= target, { timeoutMs: 120_000 });
  }

  async stop(): Promise<Bought[]> {
    this.stopping = true;
    await Promise.all(this.clients);
    return this.bought;
  }
}

async function buyAt(market: Marketplace, gateway: string, model: string, stream: boolean): Promise<Bought> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${market.ready.apiKey}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Go on.' }], max_tokens: 24, stream }),
  });
  const text = await response.text();
  const cost = /"cost_usdc":"(\d+)\.(\d{6})"/.exec(text);
  const isWhole =
    response.status === 200 && !text.includes('"error"') && (!stream || text.endsWith('data: [DONE]\n\n'));
  if (!isWhole || !cost) return { problem: `${response.status} ${text.slice(-300)}`, cost: 0n };
  return { problem: undefined, cost: BigInt(`${cost[1]}${cost[2]}`) };
}

const problemsOf = (bought: readonly Bought[]) => bought.flatMap(({ problem }) => problem ?? []);

const sumOf = (bought: readonly Bought[]) => bought.reduce((sum, { cost }) => sum + cost, 0n);

describe('replicas', () => {
  let market: Marketplace;
  const extras: ExtraService[] = [];
  const providers: HeldProvider[] = [];

  const join = async (service: 'gateway' | 'dispatch') => {
    const extra = await ExtraService.start(market.ready, service, GRACE_MS);
    extras.push(extra);
    return extra;
  };
  const offer = async (name: string, concurrency: number, withinMs: number) => {
    const provider = await HeldProvider.start();
    provider.withinMs = withinMs;
    providers.push(provider);
    return { provider, model: await market.models.offer(name, [provider.url], { concurrency }) };
  };
  const buy = (model: string) => (stream: boolean) => buyAt(market, market.ready.gateway, model, stream);

  beforeAll(async () => {
    market = await Marketplace.connect();
    await Promise.all([join('dispatch'), join('dispatch')]);
  });
  afterEach(async () => {
    // What was under way where somebody died is let go of some time later, and is no other spec's.
    await market.idle();
    await Promise.all(providers.splice(0).map((provider) => provider.close()));
  });
  afterAll(async () => {
    await Promise.all(extras.map((extra) => extra.stop()));
    await market.close();
  });

  it.each([2, 3, 4])(
    'three of dispatch keep within a certified concurrency of %d, use all of it, and fail nobody',
    async (concurrency) => {
      const { provider, model } = await offer(`shared-${concurrency}`, concurrency, 40);
      const load = new Load(buy(model));
      await load.goesOn(200);
      expect(problemsOf(await load.stop())).toEqual([]);
      expect(provider.mostAtOnce).toBe(concurrency);
    },
    300_000,
  );

  it('dispatch joins and leaves under load: nobody fails, everybody pays what they were told', async () => {
    const { provider, model } = await offer('coming-and-going', 8, 60);
    await market.idle();
    const before = await market.charged();
    const load = new Load(buy(model));
    await load.goesOn(50);
    const fourth = await join('dispatch');
    await eventually(async () => (await fourth.metric('svc_dispatch_places_held')) > 0, {
      timeoutMs: 60_000,
    });
    await load.goesOn(100);
    await extras[0]?.stop();
    await load.goesOn(100);
    const bought = await load.stop();
    expect(problemsOf(bought)).toEqual([]);
    expect(provider.mostAtOnce).toBeLessThanOrEqual(8);
    await market.idle();
    expect((await market.charged()) - before).toBe(sumOf(bought));
  }, 300_000);

  it('dispatch dies under load: its places come back, and no more are used than there are', async () => {
    const { provider, model } = await offer('killed', 4, 40);
    const victim = await join('dispatch');
    const load = new Load(buy(model));
    await load.goesOn(50);
    await victim.kill();
    await load.goesOn(200);
    const problems = problemsOf(await load.stop());
    // What was under way there, and no more.
    expect(problems.length).toBeLessThanOrEqual(CLIENTS);
    expect(provider.mostAtOnce).toBeLessThanOrEqual(4);
    expect(await buyAt(market, market.ready.gateway, model, true)).toMatchObject({ problem: undefined });
  }, 300_000);

  it('a gateway leaves under load: what is under way there finishes, the rest goes to another', async () => {
    const { model } = await offer('two-doors', 8, 60);
    const leaving = await join('gateway');
    const doors = [market.ready.gateway, leaving.url];
    let turn = 0;
    let passedOver = 0;
    const load = new Load(async (stream) => {
      // As a balancer does: who is not ready gets no more, and a request that was sent is never sent again.
      const door = doors[turn++ % doors.length] ?? market.ready.gateway;
      const isReady = await fetch(`${door}/health/ready`).then(({ ok }) => ok, isNobodyThere);
      if (!isReady) passedOver++;
      try {
        return await buyAt(market, isReady ? door : market.ready.gateway, model, stream);
      } catch (error) {
        return { problem: `${String(error)} ${String((error as Error).cause)}`, cost: 0n };
      }
    });
    await eventually(() => load.bought.length >= 60, { timeoutMs: 120_000 });
    await leaving.stop();
    await load.goesOn(60);
    expect(problemsOf(await load.stop())).toEqual([]);
    expect(passedOver).toBeGreaterThan(0);
  }, 300_000);
});

/** The last is what a client that stood still between connecting and asking finds: the connection was ended in order. */
const NOBODY_THERE: readonly unknown[] = ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'];

/** @returns false: not ready. A look that was cut off bought nothing. */
function isNobodyThere(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  if (!NOBODY_THERE.includes(cause?.code)) throw error;
  return false;
}
