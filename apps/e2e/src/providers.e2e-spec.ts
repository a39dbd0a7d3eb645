import { eventually, startFaultyProvider } from '@svc/testing';
import type { FaultyProvider, ProviderBehaviour } from '@svc/testing';
import { Marketplace } from './stack/marketplace';
import type { CertifiedModel, OfferLimits } from './stack/marketplace';

const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const baseUnits = (usdc: string | undefined): bigint => BigInt((usdc ?? 'x').replace('.', ''));

/** What a client must see when this is the only provider: the codes for plain and for streamed requests. */
const FAULTS: [ProviderBehaviour, { plain: string; stream: string; tools?: boolean }][] = [
  ['refuse-connection', { plain: 'no_capacity', stream: 'no_capacity' }],
  ['reset', { plain: 'no_capacity', stream: 'no_capacity' }],
  ['hang-before-headers', { plain: 'no_capacity', stream: 'no_capacity' }],
  ['hang-before-first-token', { plain: 'no_capacity', stream: 'no_capacity' }],
  ['status-500', { plain: 'no_capacity', stream: 'no_capacity' }],
  ['status-429', { plain: 'no_capacity', stream: 'no_capacity' }],
  ['redirect', { plain: '*', stream: '*' }],
  ['error-in-200', { plain: '*', stream: '*' }],
  ['html', { plain: 'provider_output_invalid', stream: 'provider_output_invalid' }],
  ['garbage', { plain: 'provider_output_invalid', stream: 'provider_output_invalid' }],
  ['wrong-content-type', { plain: 'provider_output_invalid', stream: 'provider_output_invalid' }],
  ['no-finish-reason', { plain: 'provider_output_invalid', stream: 'mid-stream' }],
  ['stall-mid-stream', { plain: '*', stream: 'mid-stream' }],
  ['cut', { plain: '*', stream: 'mid-stream' }],
  [
    'tool-arguments-broken',
    { plain: 'provider_output_invalid', stream: 'provider_output_invalid', tools: true },
  ],
  [
    'tool-arguments-array',
    { plain: 'provider_output_invalid', stream: 'provider_output_invalid', tools: true },
  ],
  ['tool-without-name', { plain: 'provider_output_invalid', stream: 'provider_output_invalid', tools: true }],
  ['tool-unknown', { plain: 'provider_output_invalid', stream: 'provider_output_invalid', tools: true }],
];

/** Odd, but right. */
const HARMLESS: ProviderBehaviour[] = [
  'no-done',
  'split-bytes',
  'crlf',
  'comments',
  'usage-missing',
  'trickle',
];

/** What providers that answer before anything was delivered, and can be failed over from unseen. */
const FAILOVERS = FAULTS.filter(([, { stream }]) => stream !== 'mid-stream');

/** Everything that is offered: by how many providers, and under which limits. All are certified before the first test. */
const OFFERS: [string, number, OfferLimits?][] = [
  ...FAULTS.map(([behaviour]): [string, number] => [`fault-${behaviour}`, 1]),
  ...FAILOVERS.map(([behaviour]): [string, number] => [`failover-${behaviour}`, 2]),
  ...HARMLESS.map((behaviour): [string, number] => [`odd-${behaviour}`, 1]),
  ['lies', 1],
  ['endless', 1],
  ['hang-up', 1, { chunkTimeoutMs: 30_000 }],
  ['hang-up-early', 1, { firstTokenTimeoutMs: 60_000 }],
];

describe('providers that misbehave', () => {
  let market: Marketplace;
  const offered = new Map<string, CertifiedModel>();
  const providers: FaultyProvider[] = [];
  let before: bigint;

  const start = async (behaviour: ProviderBehaviour) => {
    const provider = await startFaultyProvider(behaviour, { pauseMs: 5 });
    providers.push(provider);
    return provider;
  };
  const ask = (model: string, stream: boolean, tools?: boolean) =>
    market.post({
      model,
      messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
      max_tokens: 200,
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
        offered.set(name, await market.certify(name, count, limits)),
      ),
    );
  }, 240_000);
  beforeEach(async () => {
    before = await market.charged();
  });
  afterAll(async () => {
    await Promise.all(providers.map((provider) => provider.stop().catch(() => undefined)));
    await market.close();
  });

  it.each(FAULTS)('%s: a clear error, no charge, nothing held', async (behaviour, expected) => {
    const model = await serve(`fault-${behaviour}`, await start(behaviour));
    for (const stream of [false, true]) {
      const response = await ask(model, stream, expected.tools);
      const code = stream ? expected.stream : expected.plain;
      const text = await response.text();
      if (code === 'mid-stream') {
        expect(response.status).toBe(200);
        const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
        expect(events.at(-1)).toBe('data: [DONE]');
        expect(JSON.parse(events.at(-2)?.slice(6) ?? '')).toMatchObject({
          choices: [],
          error: { message: expect.stringMatching(/\w/) as string, type: 'server_error' },
          svc: { cost_usdc: '0.000000' },
        });
        continue;
      }
      expect([502, 503]).toContain(response.status);
      const { error } = JSON.parse(text) as { error: { code: string; type: string } };
      if (code !== '*') expect(error.code).toBe(code);
      expect(error.type).toBe('server_error');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    }
    await market.idle();
    expect(await market.charged()).toBe(before);
  });

  it.each(FAILOVERS)('%s: the next provider answers, unseen by the client', async (behaviour, { tools }) => {
    const good = await start(tools ? 'ok-tool-call' : 'ok');
    const model = await serve(`failover-${behaviour}`, await start(behaviour), good);
    for (const stream of [false, true]) {
      const response = await ask(model, stream, tools);
      const text = await response.text();
      expect({ status: response.status, text }).toMatchObject({ status: 200 });
      expect(text).not.toContain('"error"');
      expect(text).toMatch(tools ? /get_weather/ : /Hello/);
    }
    await market.idle();
    expect(await market.charged()).toBeGreaterThan(before);
  });

  it.each(HARMLESS)('%s: served whole, and charged what the reply says', async (behaviour) => {
    const model = await serve(`odd-${behaviour}`, await start(behaviour));
    let cost = 0n;
    for (const stream of [false, true]) {
      const text = await (await ask(model, stream)).text();
      expect(text).toContain('世界');
      cost += baseUnits(/"cost_usdc":"([\d.]+)"/.exec(text)?.[1]);
    }
    expect((await market.charged()) - before).toBe(cost);
  });

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

  it('an endless stream ends within the bounds of the request', async () => {
    const model = await serve('endless', await start('endless'));
    for (const stream of [false, true]) {
      const response = await ask(model, stream);
      await response.text();
    }
    await market.idle();
  });

  it('hears within a second that the client hung up', async () => {
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
    const hungUpAt = performance.now();
    hungUp.abort();
    await eventually(() => provider.abortedCount() === 1, { timeoutMs: 5_000 });
    expect(performance.now() - hungUpAt).toBeLessThan(1_000);
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
    await eventually(() => provider.abortedCount() === 1, { timeoutMs: 1_000 });
    await market.idle();
    expect(await market.charged()).toBe(before);
  });
});

function fail(name: string): never {
  throw new Error(`nobody offers ${name}`);
}
