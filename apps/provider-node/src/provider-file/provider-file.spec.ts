import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleIdOf, offerIdOf, profileIdOf } from '@svc/supply-messages';
import { fileTemplate } from './file-template';
import { digestOfOffer, fieldOf, wantedOffer } from './offer-terms';
import { ProviderFile } from './provider-file';

const wallet = `0x${'a'.repeat(40)}`;
const chain = { id: 31_337, settlement: `0x${'5'.repeat(40)}` };
const template = fileTemplate({
  market: 'http://127.0.0.1:8080',
  name: 'Ada: "models"',
  keyFile: 'a.key',
  chain,
});

describe('a provider file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-provider-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (text: string, variables: Record<string, string> = {}) => {
    const path = join(folder, 'svc-provider.yaml');
    writeFileSync(path, text);
    return ProviderFile.read(path, variables);
  };
  const changed = (from: string | RegExp, to: string) => template.replace(from, () => to);

  it('is what init writes, with and without a known chain', () => {
    expect(read(template).content).toMatchObject({
      provider: { name: 'Ada: "models"' },
      wallet: { key_file: 'a.key' },
      chain,
      offers: [{ name: 'first', input_price_per_mtok: 90_000 }],
    });
    const unknown = fileTemplate({ market: 'http://127.0.0.1:8080', name: 'Ada', keyFile: 'a.key' });
    expect(read(unknown).content.chain).toBeUndefined();
  });

  it('takes secrets from the environment, in texts only', () => {
    const token = changed('# token: ${NODE_TOKEN}        #', 'token: "${TOKEN}-$${x}" #');
    expect(read(token, { TOKEN: 's3cr3t' }).content.offers[0]?.token).toBe('s3cr3t-${x}');
    expect(() => read(token)).toThrow(/^svc-provider.yaml:\d+: the environment has no TOKEN$/);
  });

  it.each([
    [
      'a key that is none',
      ['concurrency:', 'concurency:'],
      /:43: offers\[0\]\.concurency: there is no such key$/,
    ],
    ['a section that is none', ['provider:', 'providers:'], /: providers: there is no such key$/],
    [
      'a price with a fraction',
      ['90000 ', '0.09'],
      /: offers\[0\]\.input_price_per_mtok: must be base units/,
    ],
    [
      'a URL without a scheme',
      ['http://127.0.0.1:8080\n', 'market.example\n'],
      /:3: market: must be an http/,
    ],
    [
      'a definition in part',
      ['quantisation: none', ''],
      /offers\[0\]\.bundle: needs an id, or .*quantisation is missing$/,
    ],
    ['an id and a definition', ['quantisation: none', 'id: x'], /bundle\.weights_digest: an id stands for/],
    [
      'two ends',
      ['valid_days: 90', 'valid_days: 90\n    expires_at: 2027-01-01'],
      /expires_at and valid_days exclude/,
    ],
    ['an alias of nothing', ['valid_days: 90', 'valid_days: *days'], /^svc-provider.yaml: Unresolved alias/],
    ['what is no YAML', ['offers:', 'offers: ['], /^svc-provider.yaml:\d+: /],
  ])('refuses %s, and says where', (_, [from = '', to = ''], message) => {
    expect(() => read(changed(from, to))).toThrow(message);
  });

  it('refuses two offers of one name', () => {
    const [, offer = ''] = template.split('offers:\n');
    expect(() => read(template + offer)).toThrow(/offers\[1\]\.name: there are two offers first$/);
  });

  it('says that it is missing, and what to do', () => {
    expect(() => ProviderFile.read(join(folder, 'none.yaml'), {})).toThrow(/svc-provider init/);
  });

  describe('its offers', () => {
    const offerOf = (text: string) => {
      const section = read(text).content.offers[0];
      if (!section) throw new Error('no offer');
      return wantedOffer(wallet, section, 'offers[0]');
    };

    it('define what they sell, and have ids that follow from it', () => {
      const offer = offerOf(template);
      const bundle = bundleIdOf(offer.bundleDefinition ?? fail());
      const profile = profileIdOf(offer.profileDefinition ?? fail());
      expect(offer).toMatchObject({
        offerId: offerIdOf(wallet, bundle, profile),
        validSeconds: 90 * 86_400,
        terms: { bundle, profile, inputPricePerMtok: '90000', firstTokenTimeoutMs: 10_000, provider: wallet },
      });
    });

    it('may name what the catalogue knows', () => {
      const known = changed(/bundle: [^]*speed_tier: standard/, 'bundle: {id: b}\n    profile: {id: p}');
      expect(offerOf(known)).toMatchObject({ offerId: offerIdOf(wallet, 'b', 'p'), terms: { bundle: 'b' } });
      expect(offerOf(known).bundleDefinition).toBeUndefined();
    });

    it('differ when anything that is signed or sealed does', () => {
      const base = digestOfOffer(offerOf(template));
      const others = [
        ['90000 ', '90001 '],
        ['concurrency: 4', 'concurrency: 5'],
        ['127.0.0.1:9100/v1 ', '127.0.0.1:9101/v1 '],
        ['valid_days: 90', 'valid_days: 91'],
        ['    # token: ${NODE_TOKEN}', '    token: abcdefgh'],
      ].map(([from = '', to = '']) => digestOfOffer(offerOf(changed(from, to))));
      expect(new Set([base, ...others]).size).toBe(6);
      expect(digestOfOffer(offerOf(changed('name: first', 'name: second')))).toBe(base);
    });

    it.each([
      ['input_price_per_mtok', 'offers[0].input_price_per_mtok'],
      ['bundle_definition.engine', 'offers[0].bundle.engine'],
      ['profile', 'offers[0].profile'],
      ['credential', 'offers[0].token'],
      ['expires_at', 'offers[0].valid_days'],
      ['signature', 'wallet'],
    ])("are where the market's %s points to", (param, field) => {
      expect(fieldOf(param, offerOf(template))).toBe(field);
    });
  });
});

function fail(): never {
  throw new Error('not defined');
}
