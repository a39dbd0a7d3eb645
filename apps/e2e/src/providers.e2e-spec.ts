import { PROVIDER_FAULTS, eventually, startFaultyProvider } from '@svc/testing';
import type { FaultOutcome, FaultyProvider, ProviderBehaviour, ProviderFault } from '@svc/testing';
import { Marketplace } from './stack/marketplace';
import type { CertifiedModel, OfferLimits } from './stack/certified-models';

const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const SHORT_MS = 2_000;
/** Of offers that have a minute for the first token, and for each chunk. */
const LONG_BEFORE_TIMERS_MS = 30_000;
/** All that the model may write. */
const TOKENS_OF_A_MEBIBYTE = 8_192;

type Asked = Partial<Pick<ProviderFault, 'tools' | 'behaviour'>>;

const baseUnits = (usdc: string | undefined): bigint => BigInt((usdc ?? 'x').replace('.', ''));

/** What another provider answers unseen, in every form: it needs that provider's offer. */
const FAILOVERS = PROVIDER_FAULTS.filter(({ plain, stream }) => isRefusal(plain) && isRefusal(stream));

/** A timer that a fault waits for is short; one that it does not wait for would only end what a slow machine takes longer for. */
const limitsFor = ({ plain, stream }: ProviderFault): OfferLimits => {
  const isEndedBy = (timer: string) => [plain, stream].some(({ outcome }) => outcome === timer);
  return {
    ...(isEndedBy('first_token_timeout') && { firstTokenTimeoutMs: SHORT_MS }),
    ...(isEndedBy('chunk_timeout') && { chunkTimeoutMs: SHORT_MS }),
  };
};

/** Everything that is offered: by how many providers, and under which limits. All are certified before the first test. */
const OFFERS: [string, number, OfferLimits?][] = [
  ...PROVIDER_FAULTS.map((fault): [string, number, OfferLimits] => [
    `fault-${fault.behaviour}`,
    FAILOVERS.includes(fault) ? 2 : 1,
    limitsFor(fault),
  ]),
  ['lies', 1],
  ['hang-up', 1, { firstTokenTimeoutMs: 60_000, chunkTimeoutMs: 60_000 }],
  ['hang-up-early', 1, { firstTokenTimeoutMs: 60_000, chunkTimeoutMs: 60_000 }],
];

describe('providers that misbehave', () => {
  let market: Marketplace;
  const offered = new Map<string, CertifiedModel>();
  const providers: FaultyProvider[] = [];
  let before: bigint;

  /** Waited for by a provider before it ends a stream as it should not. */
  let heard: Promise<unknown> = Promise.resolve();

  const start = async (behaviour: ProviderBehaviour) => {
    const provider = await startFaultyProvider(behaviour, { pauseMs: 40, untilHeard: () => heard });
    providers.push(provider);
    return provider;
  };
  const ask = (model: string, stream: boolean, { tools, behaviour }: Asked = {}) =>
    market.post({
      model,
      messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
      max_tokens: behaviour === 'tool-arguments-megabyte' ? TOKENS_OF_A_MEBIBYTE : 200,
      stream,
      ...(tools && { tools: [tool], tool_choice: 'required' }),
    });

  /** Puts servers behind the endpoints of an offer. */
  const serve = async (name: string, ...providers: FaultyProvider[]): Promise<string> => {
    const { model, leadTo } = offered.get(name) ?? fail(name);
    await leadTo(providers.map(({ url }) => url));
    return model;
  };

  beforeAll(async () => {
    market = await Marketplace.connect();
    await Promise.all(
      OFFERS.map(async ([name, count, limits]) =>
        // The others are honest, and in this process, which may stand still for as long as a short timer takes.
        offered.set(name, await market.models.certify(name, count, limits, {})),
      ),
    );
    // What another spec has left under way is charged or given back when it ends.
    await market.idle();
  }, 300_000);
  beforeEach(async () => {
    before = await market.charged();
  });
  afterAll(async () => {
    await Promise.all(providers.map((provider) => provider.stop().catch(() => undefined)));
    await market.close();
  });

  it.each(PROVIDER_FAULTS.map((fault) => [fault.behaviour, fault] as const))(
    '%s: what the table says, and charged what was said',
    async (behaviour, fault) => {
      const bad = await start(behaviour);
      // That is told only when nobody who is asked fails in another way: not with nobody behind the other endpoint.
      const everywhere = fault.plain.ending === 'invalid_request';
      const model = await serve(`fault-${behaviour}`, bad, ...(everywhere ? [bad] : []));
      let cost = 0n;
      for (const stream of [false, true]) {
        const outcome = stream ? fault.stream : fault.plain;
        const asked = ask(model, stream, fault);
        // What dispatch reads together with the fault is replaced unseen, should it stand still between: with status 200 it was told.
        heard = outcome.ending === 'broken_off' ? asked : Promise.resolve();
        const response = await asked;
        cost += checked(response, await response.text(), outcome);
      }
      if (FAILOVERS.includes(fault)) {
        await serve(`fault-${behaviour}`, bad, await start(fault.tools ? 'ok-tool-call' : 'ok'));
        for (const stream of [false, true]) {
          const response = await ask(model, stream, fault);
          const text = await response.text();
          expect({ status: response.status, text }).toMatchObject({ status: 200 });
          expect(text).not.toContain('"error"');
          expect(text).toMatch(fault.tools ? /get_weather/ : /世界/);
          cost += costIn(text);
        }
      }
      await market.idle();
      expect((await market.charged()) - before).toBe(cost);
    },
  );

  it('lies about usage: capped to what was seen, never above the hold', async () => {
    const model = await serve('lies', await start('usage-huge'));
    const response = await ask(model, false);
    const { svc, usage } = (await response.json()) as {
      svc: { cost_usdc: string };
      usage: { completion_tokens: number };
    };
    expect(usage.completion_tokens).toBeLessThanOrEqual(200);
    const held = baseUnits(response.headers.get('x-svc-hold-usdc') ?? undefined);
    expect(baseUnits(svc.cost_usdc)).toBeLessThanOrEqual(held);
    expect((await market.charged()) - before).toBe(baseUnits(svc.cost_usdc));
  });

  it('hears that the client hung up, long before any timer would end it', async () => {
    const provider = await start('endless');
    const model = await serve('hang-up', provider);
    const hungUp = new AbortController();
    const response = await fetch(`${market.ready.gateway}/v1/chat/completions`, {
      method: 'POST',
      signal: hungUp.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${market.ready.apiKey}` },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: 'Go on' }],
        max_tokens: 8_000,
        stream: true,
      }),
    });
    await response.body?.getReader().read();
    hungUp.abort();
    await eventually(() => provider.abortedCount() === 1, { timeoutMs: LONG_BEFORE_TIMERS_MS });
    await market.idle();
    // Input and what was produced until then: more than nothing, less than the hold.
    expect(await market.charged()).toBeGreaterThan(before);
  });

  it('hears it too when nothing was delivered yet, and then nothing is charged', async () => {
    const provider = await start('hang-before-first-token');
    const model = await serve('hang-up-early', provider);
    const hungUp = new AbortController();
    const asked = fetch(`${market.ready.gateway}/v1/chat/completions`, {
      method: 'POST',
      signal: hungUp.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${market.ready.apiKey}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 }),
    });
    await eventually(() => provider.requests().length === 1);
    hungUp.abort();
    await expect(asked).rejects.toThrow();
    await eventually(() => provider.abortedCount() === 1, { timeoutMs: LONG_BEFORE_TIMERS_MS });
    await market.idle();
    expect(await market.charged()).toBe(before);
  });
});

function fail(name: string): never {
  throw new Error(`nobody offers ${name}`);
}

function isRefusal({ ending }: FaultOutcome): boolean {
  return ending !== 'served' && ending !== 'broken_off';
}

function costIn(text: string): bigint {
  return baseUnits(/"cost_usdc":"([\d.]+)"/.exec(text)?.[1]);
}

/** Compares a reply with what the table says of it. @returns what it says that it cost */
function checked(response: Response, text: string, outcome: FaultOutcome): bigint {
  const { ending } = outcome;
  if (isRefusal(outcome)) {
    if (ending === 'invalid_request') {
      expect({ status: response.status, text }).toMatchObject({ status: 400 });
      expect(JSON.parse(text)).toMatchObject({ error: { code: ending, type: 'invalid_request_error' } });
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(response.headers.get('retry-after')).toBeNull();
      return 0n;
    }
    expect({ status: response.status, text }).toMatchObject({ status: ending === 'no_capacity' ? 503 : 502 });
    expect(JSON.parse(text)).toMatchObject({ error: { code: ending, type: 'server_error' } });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    return 0n;
  }
  expect(response.status).toBe(200);
  if (ending === 'served') {
    expect(text).not.toContain('"error"');
    return costIn(text);
  }
  const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
  expect(events.at(-1)).toBe('data: [DONE]');
  expect(JSON.parse(events.at(-2)?.slice(6) ?? '')).toMatchObject({
    choices: [],
    error: { message: expect.stringMatching(/\w/) as string, type: 'server_error' },
    svc: { cost_usdc: '0.000000' },
  });
  return 0n;
}
