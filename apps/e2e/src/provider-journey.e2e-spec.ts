import { readFileSync, readdirSync, statSync } from 'node:fs';
import { testUsdcAt } from '@svc/contracts-evm';
import { freePort } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import { Wallet } from 'ethers';
import { Marketplace } from './stack/marketplace';
import { ProviderFolder } from './stack/provider-folder';
import { Supplier } from './stack/supplier';

const MODEL = 'svc/demo-small@1';
/** Far below the demo providers'. */
const [INPUT_PRICE, OUTPUT_PRICE] = [10_000, 40_000];
/** Billing makes a payout root every 30 s here, of what was collected before. */
const PAYABLE_WITHIN_MS = 120_000;

interface Served {
  usage: { prompt_tokens: number; completion_tokens: number };
  svc: { cost_usdc: string; provider: string };
  system_fingerprint?: string;
}

interface OfferStatus {
  offer_id: string;
  bundle: string;
  profile: string;
  state: string;
  version: number;
  live_version: number;
  certification_id: string;
}

const baseUnits = (usdc: string) => BigInt(usdc.replace('.', ''));
const costOf = (
  { prompt_tokens, completion_tokens }: Served['usage'],
  [input, output]: readonly [number, number],
) => BigInt(Math.ceil((prompt_tokens * input + completion_tokens * output) / 1_000_000));

describe('a new provider', () => {
  let market: Marketplace;
  let folder: ProviderFolder;
  let wallet: string;
  let port: number;
  let soldSince: Date;

  beforeAll(async () => {
    market = await Marketplace.connect();
    folder = new ProviderFolder();
    port = await freePort();
  });
  afterAll(async () => {
    await folder.remove();
    await market.close();
  });

  /** What it costs at which provider, through the official client. */
  const ask = async (content = 'Hello!'): Promise<Served> => {
    const completion = await market
      .client()
      .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content }], max_tokens: 16 });
    return completion as unknown as Served;
  };
  /** Its answer, as soon as it is the one that is asked: who is comes by a draw, in which the cheapest is only the likeliest. */
  const askMine = (content?: string): Promise<Served> =>
    eventually(async () => {
      const served = await ask(content);
      return served.svc.provider === wallet && served;
    });
  const myOffer = async (): Promise<OfferStatus> => {
    const { offers } = await folder.json<{ offers: OfferStatus[] }>('status');
    if (!offers[0]) throw new Error('no offer');
    return offers[0];
  };

  it('begins in an empty folder: a file, a key that nobody else may read, an address', async () => {
    const { code, output } = await folder.run(['init', '--url', market.ready.gateway, '--name', 'Ada']);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(readdirSync(folder.path).sort()).toEqual(['svc-provider.key', 'svc-provider.yaml']);
    expect(statSync(folder.file('svc-provider.key')).mode & 0o777).toBe(0o600);
    const key = readFileSync(folder.file('svc-provider.key'), 'utf8').trim();
    wallet = new Wallet(key).address.toLowerCase();
    expect(output).toContain(wallet);
    expect(output).not.toContain(key.slice(2));
    expect(readFileSync(folder.file('svc-provider.yaml'), 'utf8').toLowerCase()).toContain(
      market.ready.settlement,
    );
  });

  it('says what it sells, serves, registers and offers: certified by real probes, and live', async () => {
    folder.edit([
      ['weights_digest: none:simulated', 'weights_digest: sha256:ada'],
      ['  port: 9100\n', `  port: ${port}\n  tokens_per_second: 100\n  first_token_ms: 0\n`],
      ['endpoint: http://127.0.0.1:9100/v1', `endpoint: http://127.0.0.1:${port}/v1`],
      ['input_price_per_mtok: 90000', `input_price_per_mtok: ${INPUT_PRICE}`],
      ['output_price_per_mtok: 360000', `output_price_per_mtok: ${OUTPUT_PRICE}`],
      ['# rpc_url: http://127.0.0.1:8545', `rpc_url: ${market.ready.chainRpc}`],
    ]);
    await folder.serve();
    expect(await folder.run(['register'])).toMatchObject({ code: 0 });
    const { code, output } = await folder.run(['offer']);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/first: ✓ plain_text.*\(1\/\d+\)/);
    expect(output).toMatch(/first: live, certified for tools \(auto, none, required, function\)/);
    const report = /report: (\S+)/.exec(output)?.[1] ?? '';
    expect(await (await fetch(report)).json()).toMatchObject({
      status: 'passed',
      provider: wallet,
      model: MODEL,
    });
  });

  it('serves what clients ask, being the cheapest, and the replies say so', async () => {
    soldSince = new Date();
    const { bundle, profile, state } = await myOffer();
    expect(state).toBe('live');
    await eventually(async () => {
      const card = (await (await fetch(`${market.ready.gateway}/v1/models/${MODEL}`)).json()) as {
        svc: { pricing: object };
      };
      expect(card.svc.pricing).toMatchObject({ input_price_per_mtok: String(INPUT_PRICE) });
      return true;
    });
    for (let count = 0; count < 5; count += 1) {
      const served = await askMine(`Hello ${count}!`);
      expect(served.system_fingerprint).toBe(`${bundle}:${profile}`);
      expect(baseUnits(served.svc.cost_usdc)).toBe(costOf(served.usage, [INPUT_PRICE, OUTPUT_PRICE]));
    }
  });

  it('changes its price for new requests only, without being certified again', async () => {
    const before = await myOffer();
    const stream = await market.client().chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'Tell me a long story.' }],
      max_tokens: 400,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: unknown[] = [];
    const ended = (async () => {
      for await (const chunk of stream) chunks.push(chunk);
      return chunks.at(-1) as Served;
    })();
    await eventually(() => chunks.length > 0);
    folder.edit([
      [`input_price_per_mtok: ${INPUT_PRICE}`, `input_price_per_mtok: ${2 * INPUT_PRICE}`],
      [`output_price_per_mtok: ${OUTPUT_PRICE}`, `output_price_per_mtok: ${2 * OUTPUT_PRICE}`],
    ]);
    const { code, output } = await folder.run(['offer']);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('live') as string });
    const served = await eventually(async () => {
      const reply = await ask('And now?');
      return (
        baseUnits(reply.svc.cost_usdc) === costOf(reply.usage, [2 * INPUT_PRICE, 2 * OUTPUT_PRICE]) && reply
      );
    });
    expect(served.svc.provider).toBe(wallet);
    const { svc, usage } = await ended;
    expect(baseUnits(svc.cost_usdc)).toBe(costOf(usage, [INPUT_PRICE, OUTPUT_PRICE]));
    const after = await myOffer();
    expect([after.version, after.certification_id]).toEqual([before.version + 1, before.certification_id]);
    const again = await folder.run(['offer']);
    expect(again).toMatchObject({
      code: 0,
      output: expect.stringContaining('first: unchanged, live') as string,
    });
  });

  it('sees what it earned, and has it paid out', async () => {
    await eventually(
      async () => {
        const { output } = await folder.run(['earnings']);
        return /payable +0\.0*[1-9]/.test(output);
      },
      { timeoutMs: PAYABLE_WITHIN_MS, intervalMs: 2_000 },
    );
    const { output } = await folder.run(['earnings']);
    // By day, and another one may have begun since it served.
    const days = [soldSince, new Date()].map((date) => date.toISOString().slice(0, 10)).join('|');
    expect(output).toMatch(new RegExp(`(${days}) +\\d+ +0\\.0*[1-9]`));
    const chain = await market.connectChain();
    try {
      await chain.send('anvil_setBalance', [wallet, `0x${(10n ** 18n).toString(16)}`]);
      const claimed = await eventually(
        async () => {
          const outcome = await folder.run(['earnings', '--claim']);
          return /transaction 0x[0-9a-f]{64}/.test(outcome.output) && outcome;
        },
        { timeoutMs: 60_000, intervalMs: 2_000 },
      );
      expect(claimed.code).toBe(0);
      const balance = await testUsdcAt(market.ready.usdc, chain).balanceOf(wallet);
      const said = /claiming (\d+\.\d{6}) USDC/.exec(claimed.output)?.[1] ?? '0';
      expect(balance).toBe(baseUnits(said));
      expect(balance).toBeGreaterThan(0n);
    } finally {
      chain.destroy();
    }
  }, 300_000);

  it('is told at once, and in terms of its file, what the market does not take', async () => {
    const refused = async (
      change: readonly [string, string],
      environment: Record<string, string> = {},
      command = 'offer',
    ) => {
      folder.edit([change]);
      const outcome = await folder.run([command], environment);
      folder.edit([[change[1], change[0]]]);
      expect(outcome.code).not.toBe(0);
      return outcome.output;
    };
    const price = `input_price_per_mtok: ${2 * INPUT_PRICE} `;
    expect(await refused([price, 'input_price_per_mtok: 1000000000001 '])).toMatch(
      /^svc-provider\.yaml:\d+: offers\[0\]\.input_price_per_mtok: .*1000000000000/m,
    );
    expect(await refused([price, 'input_price_per_mtok: 0.5 '])).toMatch(
      /input_price_per_mtok: must be base units/,
    );
    expect(await refused(['model: svc/demo-small@1', 'model: svc/none@1'])).toMatch(
      /^svc-provider\.yaml:\d+: offers\[0\]\.model: .*svc\/none@1/m,
    );
    expect(await refused(['context_limit: 8192           #', 'context_limit: 8193           #'])).toMatch(
      /^svc-provider\.yaml:\d+: offers\[0\]\.context_limit: .*8192/m,
    );
    const stranger = Wallet.createRandom().privateKey;
    const posing = ['  # keystore:', `  address: '${wallet}'\n  # keystore:`] as const;
    expect(await refused(posing, { SVC_PROVIDER_KEY: stranger }, 'register')).toMatch(
      /^svc-provider\.yaml:\d+: wallet: .*sign/m,
    );
    const other = ['  id: 31337', '  id: 1'] as const;
    expect(await refused(other)).toMatch(/chain\.id: the market is of chain 31337; nothing was signed/);
    expect(await myOffer()).toMatchObject({ state: 'live' });
  });

  it('can do nothing twice with one signature', async () => {
    const terms = await fetch(`${market.ready.gateway}/v1/supply/terms`);
    const { domain } = (await terms.json()) as { domain: Supplier['domain'] };
    const supplier = new Supplier(market.ready.gateway, domain);
    const message = supplier.registration();
    const act = { ...message, signature: await supplier.sign('Registration', message) };
    expect((await supplier.post('/v1/providers', act)).status).toBeLessThan(300);
    expect(await supplier.post('/v1/providers', act)).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'invalid_request',
          param: 'nonce',
          message: expect.stringContaining('nonce') as string,
        },
      },
    });
  });

  it('hears which probe refused an endpoint that is down, while the offer of before goes on serving', async () => {
    const nobody = await freePort();
    folder.edit([[`endpoint: http://127.0.0.1:${port}/v1`, `endpoint: http://127.0.0.1:${nobody}/v1`]]);
    const { code, output } = await folder.run(['offer']);
    expect({ code, output }).toMatchObject({ code: 1 });
    expect(output).toMatch(/first: refused by the probe "plain_text": .*connection/);
    expect(output).toMatch(/report: http/);
    await askMine();
    folder.edit([[`endpoint: http://127.0.0.1:${nobody}/v1`, `endpoint: http://127.0.0.1:${port}/v1`]]);
  });

  it('leaves: nobody is sent to it any more, and the others serve', async () => {
    expect(await folder.run(['withdraw', 'first'])).toMatchObject({ code: 0 });
    // While it could be asked, so many draws would not all fall on others: it is far the cheapest.
    await eventually(async () => {
      for (let count = 0; count < 10; count += 1) if ((await ask()).svc.provider === wallet) return false;
      return true;
    });
    for (let count = 0; count < 3; count += 1) expect((await ask()).svc.provider).not.toBe(wallet);
    expect(await myOffer()).toMatchObject({ state: 'withdrawn' });
  });
});
