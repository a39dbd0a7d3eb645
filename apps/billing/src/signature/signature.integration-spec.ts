import { ContractWallets, connectChain, deployTestContractWallet } from '@svc/contracts-evm';
import { createLogger } from '@svc/observability';
import { eventually, testChain } from '@svc/testing';
import { Wallet } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { SignatureService } from './signature.service';

const { rpcUrl, chainId, accounts } = testChain();
const owner = Wallet.createRandom();
const text = 'portal.example wants you to sign in with your Ethereum account:\n…';
const logger = createLogger('billing', 'silent');

let provider: JsonRpcProvider;
let contracts: ContractWallets;
let signatures: SignatureService;

/** Asks again while told to: the chain is taken to be away after 3 s, for which a machine may stand still. */
async function isSigned(...question: Parameters<SignatureService['isSigned']>): Promise<boolean> {
  const { answer } = await eventually(async () => ({ answer: await signatures.isSigned(...question) }));
  return answer;
}

beforeAll(async () => {
  provider = await connectChain({ rpcUrl, chainId: BigInt(chainId), pollingIntervalMs: 20 });
  contracts = new ContractWallets({ rpcUrl, chainId });
  signatures = new SignatureService(contracts, logger);
});

afterAll(async () => {
  await contracts.onApplicationShutdown();
  provider.destroy();
});

describe('SignatureService', () => {
  it('knows an account by its key, for that text alone', async () => {
    const wallet = owner.address.toLowerCase();
    const signature = await owner.signMessage(text);
    await expect(isSigned(wallet, text, signature)).resolves.toBe(true);
    await expect(isSigned(wallet, `${text} `, signature)).resolves.toBe(false);
    await expect(isSigned(`0x${'1'.repeat(40)}`, text, signature)).resolves.toBe(false);
    await expect(isSigned(wallet, text, '0x00')).resolves.toBe(false);
  });

  it('takes a contract wallet’s own word (EIP-1271)', async () => {
    // An account that no other spec deploys with.
    const signer = new Wallet(accounts[5]!.privateKey, provider);
    const wallet = (await deployTestContractWallet(signer, owner.address)).toLowerCase();
    await expect(isSigned(wallet, text, await owner.signMessage(text))).resolves.toBe(true);
    const stranger = await Wallet.createRandom().signMessage(text);
    await expect(isSigned(wallet, text, stranger)).resolves.toBe(false);
  });

  it('says to try again while only the chain could tell and is away', async () => {
    const away = new SignatureService(new ContractWallets({ rpcUrl: 'http://127.0.0.1:9', chainId }), logger);
    const check = away.isSigned(`0x${'1'.repeat(40)}`, text, await owner.signMessage(text));
    await expect(check).rejects.toMatchObject({ payload: { code: 'no_capacity', retryAfterSeconds: 5 } });
  });
});
