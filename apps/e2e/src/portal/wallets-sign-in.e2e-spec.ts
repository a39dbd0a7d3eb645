import { connectChain, deployTestContractWallet } from '@svc/contracts-evm';
import { eventually } from '@svc/testing';
import { Wallet } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { createSiweMessage } from 'viem/siwe';
import { Marketplace } from '../stack/marketplace';
import { portalConfig } from './sign-in';

/** An account of the development mnemonic that nothing else uses. */
const DEPLOYER_KEY = '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e';
const AWAY = 503;

let market: Marketplace;
let provider: JsonRpcProvider;
let chainId: number;

beforeAll(async () => {
  market = await Marketplace.connect();
  chainId = (await portalConfig()).chain.id;
  provider = await connectChain({ rpcUrl: market.ready.chainRpc, chainId: BigInt(chainId) });
});
afterAll(async () => {
  provider.destroy();
  await market.close();
});

/**
 * Signs in as one wallet with what another signs. Asks again while told to: the chain is taken to be away after 3 s, for which a machine
 * may stand still.
 */
function signIn(wallet: string, signer: Wallet): Promise<Response> {
  return eventually(async () => {
    const reply = await trySignIn(wallet, signer);
    if (reply.status === AWAY) throw new Error(await reply.text());
    return reply;
  });
}

async function trySignIn(wallet: string, signer: Wallet): Promise<Response> {
  const { gateway } = market.ready;
  const post = (path: string, body: object, cookie: string) =>
    fetch(`${gateway}/portal/api${path}`, {
      method: 'POST',
      headers: { origin: gateway, 'content-type': 'application/json', ...(cookie !== '' && { cookie }) },
      body: JSON.stringify(body),
    });
  const given = await post('/session/nonce', {}, '');
  const { nonce } = (await given.json()) as { nonce: string };
  const cookie = given.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const message = createSiweMessage({
    domain: new URL(gateway).host,
    address: wallet as `0x${string}`,
    uri: gateway,
    version: '1',
    chainId,
    nonce,
    issuedAt: new Date(),
  });
  return post('/session', { message, signature: await signer.signMessage(message) }, cookie);
}

describe('signing in with a wallet that is a contract (EIP-1271)', () => {
  const owner = new Wallet(Wallet.createRandom().privateKey);

  it('goes by the contract’s own word', async () => {
    const wallet = await deployTestContractWallet(new Wallet(DEPLOYER_KEY, provider), owner.address);
    const welcome = await signIn(wallet, owner);
    expect([welcome.status, await welcome.json()]).toMatchObject([201, { wallet: wallet.toLowerCase() }]);
    const stranger = await signIn(wallet, new Wallet(Wallet.createRandom().privateKey));
    expect([stranger.status, await stranger.json()]).toMatchObject([400, { error: { param: 'signature' } }]);
    expect(stranger.headers.getSetCookie()).toEqual([]);
  });

  it.each(['reverts', 'answersShort', 'burnsGas'] as const)(
    'takes no word of one that %s',
    async (manner) => {
      const wallet = await deployTestContractWallet(
        new Wallet(DEPLOYER_KEY, provider),
        owner.address,
        manner,
      );
      expect((await signIn(wallet, owner)).status).toBe(400);
    },
  );
});
