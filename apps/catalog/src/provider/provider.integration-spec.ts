import { catalogContracts } from '@svc/contracts';
import { connectChain, deployTestContractWallet } from '@svc/contracts-evm';
import { testChain } from '@svc/testing';
import { Wallet } from 'ethers';
import { wholeRequest } from '../catalogue/catalogue.for-spec';
import { SigningProvider, testDomain } from '../signing-provider.for-spec';
import { SupplyMarket } from '../supply-market.for-spec';

let market: SupplyMarket;

const register = (request: Parameters<typeof market.call>[1]) =>
  market.call(catalogContracts.registerProvider, request as never);
const show = (provider: string) => market.call(catalogContracts.showProvider, { provider });
const nowSeconds = () => Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  market = await SupplyMarket.open();
  await market.apply(wholeRequest());
});

afterAll(() => market.close());

describe('a provider', () => {
  it('joins by its signature, and changes its name by another', async () => {
    const provider = new SigningProvider();
    const status = await register(await provider.registration({ name: 'Älice & Co.' }));
    expect(status).toMatchObject({ provider: provider.wallet, name: 'Älice & Co.', nonce: 1, offers: [] });
    expect(status.suspension).toBeNull();
    const renamed = await register(await provider.registration({ name: 'Bob', contact: 'bob@example.org' }));
    expect(renamed).toMatchObject({ name: 'Bob', nonce: 2, registeredAt: status.registeredAt });
    expect(JSON.stringify(await show(provider.wallet))).not.toContain('bob@example.org');
    const { entries } = await market.operate(catalogContracts.listAudit, { subject: provider.wallet });
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
      ['provider.rename', provider.wallet],
      ['provider.register', provider.wallet],
    ]);
  });

  it('joins once when it registers twice at once', async () => {
    const provider = new SigningProvider();
    const requests = [await provider.registration(), await provider.registration()];
    const outcomes = await Promise.allSettled(requests.map(register));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    const { entries } = await market.operate(catalogContracts.listAudit, { subject: provider.wallet });
    expect(entries.filter(({ action }) => action === 'provider.register')).toHaveLength(1);
    expect((await show(provider.wallet)).nonce).toBe(2);
  });

  it.each([
    ['signature', 400, { signature: `0x${'00'.repeat(65)}` }],
    ['signature', 400, { signature: '0x00' }],
    ['name', 400, { name: 'line\nbreak' }],
    ['nonce', 409, { nonce: 1 }],
    ['nonce', 400, { nonce: 0 }],
    ['nonce', 400, { nonce: Number.MAX_SAFE_INTEGER }],
    ['nonce', 400, { nonce: Date.now() + 2 * 86_400_000 }],
  ])('is refused for its %s with %i: %j', async (param, status, change) => {
    const provider = new SigningProvider();
    await register(await provider.registration());
    await expect(provider.registration(change).then(register)).rejects.toMatchObject({
      status,
      payload: {
        ...{ code: 'invalid_request', param },
        message: expect.stringMatching(/^(?:The [a-z]|[a-z]+ must ).*[^.]\.$/) as string,
      },
    });
    expect((await show(provider.wallet)).nonce).toBe(1);
  });

  it('may be a contract that takes its owner’s signatures for its own', async () => {
    const { rpcUrl, chainId, accounts } = testChain();
    const chain = await connectChain({ rpcUrl, chainId: BigInt(chainId), pollingIntervalMs: 20 });
    const owner = new SigningProvider();
    const deployer = new Wallet(accounts[8]!.privateKey, chain);
    const address = await deployTestContractWallet(deployer, owner.signer);
    const reverting = await deployTestContractWallet(deployer, owner.signer, 'reverts');
    chain.destroy();
    const provider = new SigningProvider(address.toLowerCase(), owner.privateKey);
    await expect(register(await provider.registration())).resolves.toMatchObject({
      provider: address.toLowerCase(),
    });
    await expect(market.call(catalogContracts.submitOffer, await provider.offer())).resolves.toMatchObject({
      version: 1,
    });
    const other = new SigningProvider(reverting.toLowerCase(), owner.privateKey);
    await expect(other.registration().then(register)).rejects.toMatchObject({
      payload: { param: 'signature' },
    });
    const stranger = new SigningProvider(address.toLowerCase());
    await expect(stranger.registration({ nonce: 9 }).then(register)).rejects.toMatchObject({
      payload: { param: 'signature' },
    });
  });

  it('is unknown before', async () => {
    await expect(show(`0x${'9'.repeat(40)}`)).rejects.toMatchObject({
      status: 404,
      payload: { param: 'provider' },
    });
    const provider = new SigningProvider();
    await expect(market.call(catalogContracts.submitOffer, await provider.offer())).rejects.toMatchObject({
      status: 404,
      payload: { param: 'provider' },
    });
  });

  it('is told what to sign', async () => {
    await expect(market.call(catalogContracts.showSupplyTerms, {})).resolves.toEqual({
      domain: testDomain(),
      maxPricePerMtok: '1000000000000',
      maxOffersPerProvider: 100,
      maxOfferSeconds: 366 * 86_400,
    });
  });

  it('shows who it is for a few minutes', async () => {
    const provider = new SigningProvider();
    const identify = async (from: number, to: number, signer = provider) => {
      const access = {
        provider: provider.wallet,
        issuedAt: nowSeconds() + from,
        expiresAt: nowSeconds() + to,
      };
      const signature = await signer.sign('Access', access);
      return market.call(catalogContracts.identifyProvider, { ...access, signature });
    };
    await expect(identify(0, 600)).resolves.toEqual({ provider: provider.wallet });
    // It is told what to mend, which is no key.
    const refusal = (words: RegExp) => ({
      payload: { code: 'invalid_api_key', message: expect.stringMatching(words) as string },
    });
    for (const [from, to, words] of [
      [0, 700, /^The access has to last from 1 to 600 seconds, and lasts 700\.$/],
      [-700, -100, /^The access ended at \d+\. It is \d+ here \(Unix seconds\): is your clock right\?$/],
      [100, 200, /^The access begins only at \d+\. It is \d+ here/],
    ] as const) {
      await expect(identify(from, to)).rejects.toMatchObject(refusal(words));
    }
    await expect(identify(0, 60, new SigningProvider())).rejects.toMatchObject(
      refusal(/^The access is not signed by 0x/),
    );
  });
});
