import { eventually } from '@svc/testing';
import type { ChatRequest } from './honest-provider/chat-request';
import { KnowsTheProbes, isProbe } from './bad-providers/knows-the-probes';
import type { Swindle } from './bad-providers/knows-the-probes';
import { RefusesLongStreams } from './bad-providers/refuses-long-streams';
import type { OfferReply, Supplier } from './stack/supplier';
import { SupplyMarket } from './stack/supply-market';
import type { TestServer } from './honest-provider/test-server';

const PLACES = 4;
const MAX_TOKENS = 200;
/** Base units for a million tokens, of prompt and reply alike. */
const PRICE = 1_000_000;
const WORDS = 'Grandmother says hello.';
const greeting = { messages: [{ role: 'user', content: `Say "${WORDS}" to me.` }], max_tokens: MAX_TOKENS };
/** As the gateway estimates: bytes of the messages' JSON by 3, and 8 a message. */
const ESTIMATE = Math.ceil(Buffer.byteLength(JSON.stringify(greeting.messages)) / 3) + 8;
/** Tokens that a reply may have without any byte. */
const SILENT_TOKENS = 16;

interface Served {
  choices: { message: { content: string } }[];
  usage: { prompt_tokens: number; completion_tokens: number };
  svc: { cost_usdc: string };
}

/** What certification cannot see, and what of it clients are kept from paying: `docs/certification.md` tells the same. */
describe('a provider that knows the probes', () => {
  const swindler = new KnowsTheProbes(PLACES);
  const servers: Record<string, TestServer> = {
    swindles: swindler,
    'refuses-long': new RefusesLongStreams(PLACES),
  };
  const suppliers = new Map<string, Supplier>();
  let market: SupplyMarket;

  beforeAll(async () => {
    [market] = await Promise.all([
      SupplyMarket.launch('.local/e2e-swindlers', {
        PROVIDER_ALLOWED_NETWORKS: '127.0.0.1/32',
        CERTIFICATION_MAX_ARGUMENT_BYTES: '1024',
        CANARY_MS: '2000',
        SUPPLY_WRITES_PER_MINUTE: '1000',
        SUPPLY_READS_PER_MINUTE: '10000',
      }),
      ...Object.values(servers).map((server) => server.start()),
    ]);
    await market.defineModels(Object.keys(servers));
    for (const [name, server] of Object.entries(servers)) await sell(name, server);
  });

  afterAll(async () => {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    await market?.stop();
  });

  async function sell(name: string, server: TestServer): Promise<void> {
    const supplier = market.supplier();
    suppliers.set(name, supplier);
    expect((await supplier.register({ name })).status).toBe(200);
    const prices = { inputPricePerMtok: `${PRICE}`, outputPricePerMtok: `${PRICE}` };
    const offer = supplier.offerOf(name, server.url, { concurrency: PLACES, ...prices });
    expect((await supplier.offer(offer)).status).toBe(202);
  }

  const supplierOf = (name: string): Supplier => suppliers.get(name) as Supplier;
  const judged = (name: string): Promise<OfferReply> => supplierOf(name).judged();
  const ask = async (): Promise<Served> => {
    const { status, body } = await market.ask('swindles', greeting);
    expect([status, body.error]).toEqual([200, undefined]);
    return body as unknown as Served;
  };

  it('is not certified where it refuses the streams that would show it writing for nobody', async () => {
    expect(await judged('refuses-long')).toMatchObject({
      state: 'refused',
      reason: {
        code: 'disconnect',
        message: expect.stringMatching(/status 400.*could not be seen/) as string,
      },
    });
  });

  it('is certified, whatever is behind it', async () => {
    expect(await judged('swindles')).toMatchObject({ state: 'live' });
    expect((await supplierOf('swindles').report()).result).toMatchObject({
      concurrency: PLACES,
      capabilities: { tools: true, structuredOutputs: true },
    });
    await market.untilServed('swindles', true);
  });

  it('finds nothing but words to tell probes by: not headers, nor the order of fields', async () => {
    const function_ = { name: 'look', parameters: { type: 'object', properties: {} } };
    const format = { response_format: { type: 'json_object' } };
    const tools = { tools: [{ type: 'function', function: function_ }], parallel_tool_calls: false };
    await market.ask('swindles', { ...tools, temperature: 0, stop: ['x'], tool_choice: 'auto', ...greeting });
    await market.ask('swindles', { temperature: 0, ...format, ...greeting });
    const { requests, headers } = swindler;
    const fieldsOf = (asked: ChatRequest[]) => asked.map((request) => Object.keys(request));
    const probes = fieldsOf(requests.filter(isProbe));
    const clients = fieldsOf(requests.filter((request) => !isProbe(request)));
    expect(clients.length).toBeGreaterThanOrEqual(2);
    expect(probes.length).toBeGreaterThan(20);
    const ordersOf = (bodies: string[][]) =>
      new Set(
        bodies.flatMap((fields) => fields.flatMap((a, at) => fields.slice(at).map((b) => `${a} ${b}`))),
      );
    const ofClients = ordersOf(clients);
    const turned = [...ordersOf(probes)].filter((pair) => {
      const [a, b] = pair.split(' ');
      return a !== b && ofClients.has(`${b} ${a}`);
    });
    expect(turned).toEqual([]);
    expect(new Set(headers).size).toBe(1);
  });

  /** What it says to clients, and the most tokens that are paid of prompt and reply. */
  const paid: [Swindle, { content: string; prompt?: number; reply: number }][] = [
    ['canned', { content: 'Thank you for asking! All is well here today.', reply: 11 }],
    ['empty', { content: '', reply: 0 }],
    ['inflates', { content: WORDS, reply: WORDS.length + SILENT_TOKENS }],
    ['pads', { content: WORDS + '\u200b'.repeat(150), reply: WORDS.length + SILENT_TOKENS }],
    ['inflates-prompt', { content: WORDS, prompt: ESTIMATE, reply: 6 }],
  ];

  it.each(paid)('%s: pays for no more than can be', async (swindle, { content, prompt, reply }) => {
    swindler.swindle = swindle;
    const served = await ask();
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = served.usage;
    expect(served.choices[0]?.message.content).toBe(content);
    expect(completionTokens).toBeLessThanOrEqual(reply);
    expect(promptTokens).toBeLessThanOrEqual(ESTIMATE);
    if (prompt !== undefined) expect(promptTokens).toBe(prompt);
    expect(Number(served.svc.cost_usdc)).toBeCloseTo((promptTokens + completionTokens) / 1_000_000, 6);
  });

  it('that sells its places elsewhere refuses clients, who pay nothing', async () => {
    swindler.swindle = 'sells-its-places';
    const asked = await Promise.all(
      Array.from({ length: PLACES }, () => market.ask('swindles', { ...greeting, ...longEssay })),
    );
    const refused = asked.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.map(({ status, body }) => [status, body.error?.code, body.svc])).toEqual(
      refused.map(() => [503, 'no_capacity', undefined]),
    );
  });

  it('is found out by no canary', async () => {
    swindler.swindle = 'canned';
    // Of those that passed the last is kept.
    const lastPassed = async (): Promise<string | undefined> => {
      const query = `SELECT id FROM catalog.certifications WHERE offer_id = $1 AND kind = 'canary' AND status = 'passed'
        ORDER BY requested_at DESC LIMIT 1`;
      const [row] = await market.rows<{ id: string }>(query, [supplierOf('swindles').offerId('swindles')]);
      return row?.id;
    };
    const before = await lastPassed();
    await eventually(
      async () => {
        const last = await lastPassed();
        return last !== undefined && last !== before;
      },
      { timeoutMs: 60_000, intervalMs: 250 },
    );
    expect(await supplierOf('swindles').status()).toMatchObject({ state: 'live' });
  });
});

const longEssay = { messages: [{ role: 'user', content: 'Write 190 words for my grandmother.' }] };
