import { join } from 'node:path';
import { buildCatalogue, parseSeedProviders, readCatalogueSeed, retireMissing } from './catalogue-seed';
import type { CatalogueSeed, SeedProvider } from './catalogue-seed';

const SEED_FILE = join(__dirname, '../../../deploy/seed/local.json');
const first = { name: 'North', endpoint: 'http://127.0.0.1:4101/v1', wallet: `0x${'A'.repeat(40)}` };
const second = { name: 'South', endpoint: 'http://127.0.0.1:4102/v1', wallet: `0x${'b'.repeat(40)}` };
const upstream: SeedProvider = {
  name: 'My Ollama',
  endpoint: 'http://127.0.0.1:11434/v1',
  upstreamModel: 'Qwen/Qwen3:0.6b',
};

describe('the local seed', () => {
  let seed: CatalogueSeed;
  beforeAll(async () => {
    seed = await readCatalogueSeed(SEED_FILE);
  });

  it('offers every model from two providers at different prices', () => {
    const { models, bundles, offers, providers } = buildCatalogue(seed, [first, second]);
    expect(models.map(({ id }) => id)).toEqual(['svc/demo-small@1', 'svc/demo-large@1', 'svc/demo-text@1']);
    expect(providers).toEqual([
      { wallet: `0x${'a'.repeat(40)}`, name: 'North' },
      { wallet: `0x${'b'.repeat(40)}`, name: 'South' },
    ]);
    for (const { id: bundle } of bundles) {
      const [a, b] = offers.filter((offer) => offer.bundle === bundle);
      expect([a?.endpoint, b?.endpoint]).toEqual([first.endpoint, second.endpoint]);
      expect(a?.outputPricePerMtok).not.toBe(b?.outputPricePerMtok);
    }
    expect(new Set(offers.map(({ id }) => id)).size).toBe(6);
    expect(offers.every(({ active }) => active)).toBe(true);
  });

  it('has a model without tools, and a tool contract on exactly those with', () => {
    const { models } = buildCatalogue(seed, []);
    expect(models.some(({ capabilities }) => !capabilities.tools)).toBe(true);
    for (const { capabilities, toolContract } of models) {
      expect(toolContract !== undefined).toBe(capabilities.tools);
    }
  });

  it('gives an upstream provider a model, a bundle and a wallet of its own', () => {
    const { models, bundles, offers, providers } = buildCatalogue(seed, [first, upstream]);
    expect(models.at(-1)).toMatchObject({ id: 'svc/qwen-qwen3-0.6b@1', contextLimit: 8192 });
    expect(bundles.at(-1)).toMatchObject({ id: 'qwen-qwen3-0-6b-upstream', model: 'svc/qwen-qwen3-0.6b@1' });
    expect(offers.at(-1)).toMatchObject({
      id: 'my-ollama-qwen-qwen3-0-6b-upstream',
      endpoint: upstream.endpoint,
      upstreamModel: 'Qwen/Qwen3:0.6b',
      provider: providers[1]?.wallet,
    });
    expect(providers[1]?.wallet).toMatch(/^0x[0-9a-f]{40}$/);
  });

  it('takes the model id it is told', () => {
    const { models } = buildCatalogue(seed, [{ ...upstream, model: 'svc/mine@2' }]);
    expect(models.at(-1)?.id).toBe('svc/mine@2');
  });

  it('names the field of a seed that does not fit', () => {
    const broken = { ...seed, models: [{ ...seed.models[0]!, contextLimit: 0 }] };
    expect(() => buildCatalogue(broken, [])).toThrow(/models\[0\]\.contextLimit/);
  });

  it('takes a provider that is gone off the market, and puts it back when it returns', () => {
    const both = retireMissing(buildCatalogue(seed, [first, upstream]), undefined);
    const without = retireMissing(buildCatalogue(seed, [first]), both);
    expect(without.offers.filter(({ active }) => !active).map(({ provider }) => provider)).toEqual([
      both.providers[1]?.wallet,
    ]);
    expect(without.bundles).toEqual(expect.arrayContaining(both.bundles));
    const again = retireMissing(buildCatalogue(seed, [first, upstream]), without);
    expect(again.offers.every(({ active }) => active)).toBe(true);
  });
});

describe('parseSeedProviders', () => {
  it('reads an array of providers', () => {
    expect(parseSeedProviders(JSON.stringify([first, upstream]))).toEqual([first, upstream]);
  });

  it.each(['{', '{}', '[1]', '[null]', '[{"name":"a"}]'])('refuses %s', (text) => {
    expect(() => parseSeedProviders(text)).toThrow(/^SEED_PROVIDERS: it must be/);
  });
});

describe('readCatalogueSeed', () => {
  it('names the file that is missing', async () => {
    await expect(readCatalogueSeed('/nowhere/seed.json')).rejects.toThrow(/SEED_FILE \/nowhere\/seed.json/);
  });
});
