import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApplyCatalogueRequest } from '@svc/contracts';
import { ENVIRONMENTS } from '@svc/environment';
import type { Environment } from '@svc/environment';
import { computeAddress } from 'ethers';
import { parse } from 'yaml';
import { buildCatalogue, parseSeedProviders, readCatalogueSeed } from './catalogue-seed';
import type { CatalogueSeed, SeedProvider } from './catalogue-seed';
import { developmentKey } from './development-accounts';
import { writeProviderFiles } from './provider-files';

const { testnet, production } = ENVIRONMENTS;
const SEED_FILE = join(__dirname, '../../../deploy/seed/local.json');
const first = { name: 'north', endpoint: 'http://127.0.0.1:4101/v1' };
const second = { name: 'south', endpoint: 'http://127.0.0.1:4102/v1' };
const upstream: SeedProvider = {
  name: 'my-ollama',
  endpoint: 'http://127.0.0.1:11434/v1',
  upstreamModel: 'Qwen/Qwen3:0.6b',
  model: 'svc/qwen-qwen3-0.6b@1',
};

describe('the local seed', () => {
  let seed: CatalogueSeed;
  beforeAll(async () => {
    seed = await readCatalogueSeed(SEED_FILE);
  });

  it('defines models with tools and without', () => {
    const { models } = buildCatalogue(seed, [], { environment: testnet });
    expect(models.map(({ id }) => id)).toEqual(['svc/demo-small@1', 'svc/demo-large@1', 'svc/demo-text@1']);
    expect(new Set(models.map(({ capabilities }) => capabilities.tools))).toEqual(new Set([true, false]));
  });

  it('has a model for each of the workloads that the environment lists, and its routing model', () => {
    const listed = (environment: Environment) => {
      const { models, routingModels } = buildCatalogue(seed, [], { environment });
      const workloads = new Set(models.map(({ capabilities }) => capabilities.workload));
      return { workloads: [...workloads], routing: routingModels?.map(({ id }) => id) };
    };
    expect(listed(testnet)).toEqual({ workloads: ['chat'], routing: ['svc/cortex@1'] });
    expect(listed(production)).toEqual({ workloads: ['chat', 'embedding'], routing: [] });
  });

  it('pays for the routing model what the dearest of its candidates asks, the vendor included', () => {
    const market = { environment: testnet, vendorUrl: 'http://127.0.0.1:9120/v1' };
    const { routingModels: [routing] = [], managedVendors = [] } = buildCatalogue(seed, [], market);
    const prices = [...managedVendors, ...seed.stalls.flatMap(({ offers }) => offers)];
    for (const price of prices) {
      expect(Number(routing?.maxInputPricePerMtok)).toBeGreaterThanOrEqual(Number(price.inputPricePerMtok));
      expect(Number(routing?.maxOutputPricePerMtok)).toBeGreaterThanOrEqual(Number(price.outputPricePerMtok));
    }
  });

  it('has a vendor that asks more than every provider, where there is one', () => {
    expect(buildCatalogue(seed, [], { environment: production }).managedVendors).toEqual([]);
    const market = { environment: production, vendorUrl: 'http://127.0.0.1:9120/v1' };
    const { managedVendors = [], bundles } = buildCatalogue(seed, [], market);
    expect(managedVendors.map(({ mapping }) => mapping)).toEqual(['demo-vendor-small', 'demo-vendor-large']);
    const offers = seed.stalls.flatMap((stall) => stall.offers);
    for (const vendor of managedVendors) {
      expect(vendor).toMatchObject({
        endpoint: market.vendorUrl,
        payee: computeAddress(developmentKey(19)).toLowerCase(),
      });
      const models = new Map(bundles.map(({ id, model }) => [id, model]));
      for (const offer of offers.filter(({ bundle }) => models.get(bundle) === vendor.model)) {
        expect(Number(vendor.inputPricePerMtok)).toBeGreaterThan(Number(offer.inputPricePerMtok));
        expect(Number(vendor.outputPricePerMtok)).toBeGreaterThan(Number(offer.outputPricePerMtok));
      }
    }
  });

  it('defines a model and a bundle for what a provider brings', () => {
    const { models, bundles } = buildCatalogue(seed, [first, upstream], { environment: testnet });
    expect(models.at(-1)).toMatchObject({ id: 'svc/qwen-qwen3-0.6b@1', contextLimit: 8192 });
    expect(bundles.at(-1)).toMatchObject({ id: 'qwen-qwen3-0-6b-upstream', model: 'svc/qwen-qwen3-0.6b@1' });
  });

  it('names the field of a seed that does not fit', () => {
    const broken = { ...seed, models: [{ ...seed.models[0]!, contextLimit: 0 }] };
    expect(() => buildCatalogue(broken, [], { environment: testnet })).toThrow(/models\[0\]\.contextLimit/);
  });

  describe('as files of its providers', () => {
    interface Written {
      market: string;
      offers: Record<string, unknown>[];
    }
    const market = {
      url: 'http://127.0.0.1:8080',
      chainId: 31_337,
      settlement: `0x${'5'.repeat(40)}`,
      chainRpcUrl: 'http://127.0.0.1:8545',
    };
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'svc-providers-'));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const write = async (providers: SeedProvider[], catalogue?: ApplyCatalogueRequest) => {
      const known = catalogue ?? buildCatalogue(seed, providers, { environment: testnet });
      const entries = await writeProviderFiles(folder, seed, known, providers, market);
      return entries.map((entry) => ({
        ...entry,
        content: parse(readFileSync(entry.file, 'utf8')) as Written,
      }));
    };

    it('offers every model from two providers at different prices, 64 at once', async () => {
      const [north, south] = await write([first, second]);
      expect(north?.content).toMatchObject({
        market: market.url,
        provider: { name: 'north' },
        chain: { id: 31_337, settlement: market.settlement, rpc_url: market.chainRpcUrl },
      });
      for (const [index, offer] of north!.content.offers.entries()) {
        const other = south?.content.offers[index];
        expect([offer.endpoint, other?.endpoint]).toEqual([first.endpoint, second.endpoint]);
        expect([offer.model, offer.concurrency]).toEqual([other?.model, other?.concurrency]);
        expect(offer.concurrency).toBe(64);
        expect(offer.output_price_per_mtok).not.toBe(other?.output_price_per_mtok);
      }
      expect(north?.content.offers).toHaveLength(3);
    });

    it('gives each provider a key of its own that nobody else may read', async () => {
      const entries = await write([first, upstream]);
      const wallets = entries.map(({ file, wallet }) => {
        const key = join(file, '../svc-provider.key');
        expect(statSync(key).mode & 0o777).toBe(0o600);
        expect(computeAddress(readFileSync(key, 'utf8').trim()).toLowerCase()).toBe(wallet);
        return wallet;
      });
      expect(new Set(wallets).size).toBe(2);
    });

    it('offers what a provider brings under its own name', async () => {
      const [, own] = await write([first, upstream]);
      expect(own?.content.offers).toEqual([
        expect.objectContaining({
          model: 'svc/qwen-qwen3-0.6b@1',
          bundle: { id: 'qwen-qwen3-0-6b-upstream' },
          endpoint: upstream.endpoint,
          upstream_model: 'Qwen/Qwen3:0.6b',
        }),
      ]);
    });

    it('offers nothing that is not defined', async () => {
      const catalogue = { ...buildCatalogue(seed, [], { environment: testnet }), profiles: [] };
      await expect(write([first], catalogue)).rejects.toThrow(/local-standard, and defines no such/);
    });
  });
});

describe('parseSeedProviders', () => {
  it('reads an array of providers', () => {
    expect(parseSeedProviders(JSON.stringify([first, upstream]))).toEqual([first, upstream]);
  });

  it.each([{ upstreamModel: 'm' }, { model: 'svc/m@1' }])(
    'refuses a model of its own that is named on one side only: %j',
    (named) => {
      expect(() => parseSeedProviders(JSON.stringify([{ ...first, ...named }]))).toThrow(
        /are given together/,
      );
    },
  );

  it.each(['{', '{}', '[1]', '[null]', '[{"name":"a"}]', '[{"name":"../a","endpoint":""}]'])(
    'refuses %s',
    (text) => {
      expect(() => parseSeedProviders(text)).toThrow(/^SEED_PROVIDERS: it must be/);
    },
  );
});

describe('readCatalogueSeed', () => {
  it('names the file that is missing', async () => {
    await expect(readCatalogueSeed('/nowhere/seed.json')).rejects.toThrow(/SEED_FILE \/nowhere\/seed.json/);
  });
});
