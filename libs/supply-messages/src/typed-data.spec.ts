import { TypedDataEncoder, Wallet, verifyTypedData } from 'ethers';
import { bundleIdOf, offerIdOf, profileIdOf } from './content-ids';
import { SUPPLY_TYPES, supplyDigest, supplyDomain } from './typed-data';
import type { OfferMessage } from './typed-data';

const wallet = new Wallet(`0x${'1'.repeat(64)}`);
const domain = supplyDomain(31_337, `0x${'5'.repeat(40)}`);
const offer: OfferMessage = {
  provider: wallet.address.toLowerCase(),
  model: 'svc/demo@1',
  bundle: 'b',
  profile: 'p',
  endpoint: 'https://models.example/v1',
  upstreamModel: 'demo',
  inputPricePerMtok: '100000',
  outputPricePerMtok: '400000',
  concurrency: 4,
  contextLimit: 8_192,
  firstTokenTimeoutMs: 5_000,
  chunkTimeoutMs: 5_000,
  expiresAt: 1_800_000_000,
  nonce: 1,
};

describe('supply messages', () => {
  it('stay as providers have them in their own programs: with another type or domain no signature is good', () => {
    const types = Object.entries(SUPPLY_TYPES).map(([name, fields]) =>
      TypedDataEncoder.from({ ...fields }).encodeType(name),
    );
    expect(types).toEqual([
      'Registration(address provider,string name,string contact,uint64 nonce)',
      'Offer(address provider,string model,string bundle,string profile,string endpoint,string upstreamModel,' +
        'uint256 inputPricePerMtok,uint256 outputPricePerMtok,uint32 concurrency,uint32 contextLimit,' +
        'uint32 firstTokenTimeoutMs,uint32 chunkTimeoutMs,uint64 expiresAt,uint64 nonce)',
      'Withdrawal(address provider,string offerId,uint64 nonce)',
      'Access(address provider,uint64 issuedAt,uint64 expiresAt)',
    ]);
    const verifyingContract = `0x${'5'.repeat(40)}`;
    expect(domain).toEqual({ name: 'svc supply', version: '1', chainId: 31_337, verifyingContract });
  });

  it('have the digest that wallets sign', async () => {
    const signature = await wallet.signTypedData(domain, SUPPLY_TYPES.Offer, offer);
    expect(verifyTypedData(domain, SUPPLY_TYPES.Offer, offer, signature)).toBe(wallet.address);
    expect(wallet.signingKey.sign(supplyDigest(domain, 'Offer', offer)).serialized).toBe(signature);
  });

  it('have another digest for every other field, chain and contract', () => {
    const changed = Object.entries(offer).map(([field, value]) => {
      if (field === 'provider') return { ...offer, provider: `0x${'2'.repeat(40)}` };
      return { ...offer, [field]: typeof value === 'number' ? value + 1 : `${value}1` };
    });
    const digests = [
      ...[offer, ...changed].map((message) => supplyDigest(domain, 'Offer', message)),
      supplyDigest({ ...domain, chainId: 1 }, 'Offer', offer),
      supplyDigest(supplyDomain(31_337, `0x${'6'.repeat(40)}`), 'Offer', offer),
      supplyDigest(domain, 'Registration', { provider: offer.provider, name: 'a', contact: '', nonce: 1 }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it.each(Object.keys(offer))('have none without %s', (field) => {
    expect(() => supplyDigest(domain, 'Offer', { ...offer, [field]: undefined })).toThrow();
  });

  it('leave out what is no field of theirs', () => {
    expect(supplyDigest(domain, 'Offer', { ...offer, ...{ signature: '0x00', credential: 'x' } })).toBe(
      supplyDigest(domain, 'Offer', offer),
    );
  });
});

describe('ids that follow from the content', () => {
  it('are the same for the same content only', () => {
    const bundle = { model: 'svc/demo@1', weightsDigest: 'sha256:1', quantisation: 'q4', engine: 'vllm' };
    const profile = { hardwareClass: 'cpu', contextLimit: 8_192, speedTier: 'standard' };
    expect(bundleIdOf({ ...bundle })).toBe(bundleIdOf(bundle));
    expect(bundleIdOf({ ...bundle, quantisation: 'q4"', engine: 'vllm' })).not.toBe(bundleIdOf(bundle));
    expect(profileIdOf({ ...profile, contextLimit: 8_193 })).not.toBe(profileIdOf(profile));
    expect(bundleIdOf(bundle)).toMatch(/^bnd_[0-9a-f]{32}$/);
    expect(profileIdOf(profile)).toMatch(/^prf_[0-9a-f]{32}$/);
    expect(offerIdOf(wallet.address, 'b', 'p')).toBe(offerIdOf(wallet.address.toLowerCase(), 'b', 'p'));
    expect(offerIdOf(wallet.address, 'b', 'p')).not.toBe(offerIdOf(wallet.address, 'p', 'b'));
  });
});
