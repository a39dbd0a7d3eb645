import type { ChainConfig } from '../api/config';
import { ConnectedWallet, typedDataJson } from './connected-wallet';
import type { WalletOffer } from './discovery';

const chain: ChainConfig = {
  ...{
    id: 31337,
    name: 'Local chain',
    rpc_url: 'http://127.0.0.1:8545',
    explorer_url: null,
    is_local: true,
    faucet: true,
  },
  ...{ usdc: `0x${'1'.repeat(40)}`, settlement: `0x${'2'.repeat(40)}` },
};

type Answers = Record<string, (params: unknown[]) => unknown>;

/** A wallet that answers as told, and what it was asked. */
function walletThat(answers: Answers): { offer: WalletOffer; asked: string[] } {
  const asked: string[] = [];
  const provider = {
    request: async ({ method, params }: { method: string; params?: unknown }) => {
      asked.push(method);
      await Promise.resolve();
      const answer = answers[method];
      if (answer === undefined) throw Object.assign(new Error('no such method'), { code: 4200 });
      return answer(params as unknown[]);
    },
  };
  return {
    asked,
    offer: { id: 'x', name: 'X', isDevelopment: false, open: () => Promise.resolve(provider) },
  };
}

const onChain: Answers = { eth_chainId: () => '0x7a69' };
const accounts: Answers = { eth_requestAccounts: () => ['0xAbC0000000000000000000000000000000000001'] };

describe('ConnectedWallet', () => {
  it('speaks for the account that its owner chose, in lower case', async () => {
    const wallet = await ConnectedWallet.open(walletThat(accounts).offer, chain);
    expect(wallet.account).toBe('0xabc0000000000000000000000000000000000001');
  });

  it('says that a wallet without an account is locked', async () => {
    const { offer } = walletThat({ eth_requestAccounts: () => [] });
    await expect(ConnectedWallet.open(offer, chain)).rejects.toMatchObject({ kind: 'locked' });
  });

  it('reopens only what has allowed it before, and asks for nothing', async () => {
    const { offer, asked } = walletThat({ eth_accounts: () => [] });
    await expect(ConnectedWallet.reopen(offer, chain)).resolves.toBeUndefined();
    expect(asked).toEqual(['eth_accounts']);
  });

  it('whose code does not come is no wallet that failed, and none to ask for another', async () => {
    const error = new TypeError('Failed to fetch dynamically imported module: https://x/assets/a-1.js');
    const offer = { ...walletThat(accounts).offer, open: () => Promise.reject(error) };
    await expect(ConnectedWallet.open(offer, chain)).rejects.toBe(error);
    await expect(ConnectedWallet.reopen(offer, chain)).rejects.toBe(error);
  });

  it('signs a text as bytes, so that no wallet takes it for hex', async () => {
    let seen: unknown[] = [];
    const { offer } = walletThat({
      ...accounts,
      personal_sign: (params) => {
        seen = params;
        return '0xab';
      },
    });
    const wallet = await ConnectedWallet.open(offer, chain);
    await expect(wallet.signMessage('é')).resolves.toBe('0xab');
    expect(seen).toEqual(['0xc3a9', wallet.account]);
  });

  it('refuses an answer that is no signature', async () => {
    const { offer } = walletThat({ ...accounts, personal_sign: () => ({ error: 'odd' }) });
    const wallet = await ConnectedWallet.open(offer, chain);
    await expect(wallet.signMessage('x')).rejects.toMatchObject({ name: 'WalletError', kind: 'unknown' });
  });

  it('switches to the marketplace’s chain, and adds it where it is not known', async () => {
    let current = '0x1';
    let known = false;
    const { offer, asked } = walletThat({
      ...accounts,
      eth_chainId: () => current,
      wallet_switchEthereumChain: () => {
        if (!known) throw Object.assign(new Error('Unrecognized chain ID'), { code: 4902 });
        return null;
      },
      wallet_addEthereumChain: () => {
        known = true;
        current = '0x7a69';
        return null;
      },
    });
    await (await ConnectedWallet.open(offer, chain)).ensureChain();
    expect(asked.slice(1)).toEqual([
      'eth_chainId',
      'wallet_switchEthereumChain',
      'wallet_addEthereumChain',
      'eth_chainId',
    ]);
  });

  it.each(['0x7A69', '0x07a69', 31337, '31337'])('knows the chain as %p too', async (chainId) => {
    const { offer, asked } = walletThat({ ...accounts, eth_chainId: () => chainId });
    await (await ConnectedWallet.open(offer, chain)).ensureChain();
    expect(asked.slice(1)).toEqual(['eth_chainId']);
  });

  it.each(['0x1', '', 'local', null, 1.5])('takes %p for another chain', async (chainId) => {
    const { offer } = walletThat({
      ...accounts,
      eth_chainId: () => chainId,
      wallet_switchEthereumChain: () => null,
    });
    const wallet = await ConnectedWallet.open(offer, chain);
    await expect(wallet.ensureChain()).rejects.toMatchObject({ kind: 'chain' });
  });

  it('sends nothing when the wallet stays on another chain', async () => {
    const { offer, asked } = walletThat({
      ...accounts,
      eth_chainId: () => '0x1',
      wallet_switchEthereumChain: () => null,
    });
    const wallet = await ConnectedWallet.open(offer, chain);
    await expect(wallet.sendTransaction({ to: chain.usdc, data: '0x' })).rejects.toMatchObject({
      kind: 'chain',
    });
    expect(asked).not.toContain('eth_sendTransaction');
  });

  it('names the chain with what it sends, so that a wallet which is switched meanwhile sends it nowhere else', async () => {
    let sent: unknown[] = [];
    const { offer } = walletThat({
      ...accounts,
      ...onChain,
      eth_sendTransaction: (params) => {
        sent = params;
        return '0x1';
      },
    });
    const wallet = await ConnectedWallet.open(offer, chain);
    await wallet.sendTransaction({ to: chain.usdc, data: '0x2' });
    const from = wallet.account;
    expect(sent).toEqual([{ from, to: chain.usdc, data: '0x2', value: '0x0', chainId: '0x7a69' }]);
  });

  it('takes no transaction of another chain for its own', async () => {
    const { offer } = walletThat({
      ...accounts,
      eth_chainId: () => '0x1',
      eth_getTransactionReceipt: () => ({ status: '0x1', blockNumber: '0x10' }),
    });
    const wallet = await ConnectedWallet.open(offer, chain);
    await expect(wallet.waitForTransaction('0x1')).rejects.toMatchObject({
      kind: 'chain',
      message: expect.stringContaining('sent it on another network') as string,
    });
  });

  it('stands a wallet that is switched away and back while a transaction is looked for', async () => {
    const chains = ['0x1', '0x7a69'];
    const { offer } = walletThat({
      ...accounts,
      eth_chainId: () => chains.shift(),
      eth_getTransactionReceipt: () => ({ status: '0x1', blockNumber: '0x10' }),
    });
    const wallet = await ConnectedWallet.open(offer, chain);
    await expect(wallet.waitForTransaction('0x1')).resolves.toMatchObject({ blockNumber: 16n });
  });

  it('waits for a transaction, and says when it failed in its block', async () => {
    const logs = [{ address: chain.usdc, topics: ['0x1'], data: '0x2' }];
    const receipts: unknown[] = [null, { status: '0x1', blockNumber: '0x10', logs }];
    const { offer } = walletThat({
      ...accounts,
      ...onChain,
      eth_getTransactionReceipt: () => receipts.shift(),
    });
    const wallet = await ConnectedWallet.open(offer, chain);
    await expect(wallet.waitForTransaction('0x1')).resolves.toEqual({ hash: '0x1', blockNumber: 16n, logs });
    receipts.push({ status: '0x0', blockNumber: '0x11' });
    await expect(wallet.waitForTransaction('0x2')).rejects.toMatchObject({ kind: 'reverted' });
  });

  it('waits on for what was sent when the network does not answer for a moment', async () => {
    const answers = [
      () => {
        throw Object.assign(new Error('request limit reached'), { code: -32005 });
      },
      () => ({ status: '0x1', blockNumber: '0x10' }),
    ];
    const { offer } = walletThat({
      ...accounts,
      ...onChain,
      eth_getTransactionReceipt: () => answers.shift()?.(),
    });
    const wallet = await ConnectedWallet.open(offer, chain);
    await expect(wallet.waitForTransaction('0x1')).resolves.toMatchObject({ blockNumber: 16n });
  });

  it('says that it cannot see the transaction when the wallet is on another chain by then', async () => {
    jest.useFakeTimers();
    try {
      const { offer } = walletThat({
        ...accounts,
        eth_chainId: () => '0x1',
        eth_getTransactionReceipt: () => null,
      });
      const wallet = await ConnectedWallet.open(offer, chain);
      const waited = expect(wallet.waitForTransaction('0x1')).rejects.toMatchObject({
        kind: 'chain',
        message: expect.stringContaining('on another network') as string,
      });
      await jest.advanceTimersByTimeAsync(200_000);
      await waited;
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('typedDataJson', () => {
  it('lists the domain’s own type and writes large numbers as text', () => {
    const json = typedDataJson({
      domain: { name: 'svc', chainId: 31337 },
      types: { Terms: [{ name: 'price', type: 'uint256' }] },
      primaryType: 'Terms',
      message: { price: 2n ** 100n },
    });
    expect(JSON.parse(json)).toEqual({
      domain: { name: 'svc', chainId: 31337 },
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'chainId', type: 'uint256' },
        ],
        Terms: [{ name: 'price', type: 'uint256' }],
      },
      primaryType: 'Terms',
      message: { price: (2n ** 100n).toString() },
    });
  });
});
