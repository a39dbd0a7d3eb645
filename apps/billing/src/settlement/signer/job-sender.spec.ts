import type { ChainGateway } from './chain-gateway';
import { JobSender } from './job-sender';
import { SignerAccount } from './signer-account';
import type { StoredTransaction, TransactionStore } from './transaction.store';

const BUMP_MS = 60_000;

/** A sender whose one transaction, so old, is too cheap for every server. */
function underpriced(ageMs: number) {
  const account = new SignerAccount(`0x${'1'.repeat(64)}`, 1);
  const stored: StoredTransaction = {
    signer: account.address,
    hash: '0x1',
    nonce: 0,
    gasLimit: 1n,
    fees: { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n },
    raw: '0x',
    ageMs,
  };
  const signed: unknown[] = [];
  const chain: Partial<ChainGateway> = {
    nonce: () => Promise.resolve(0),
    fees: () => Promise.resolve(undefined),
    balance: () => Promise.resolve(1_000n),
    mostGas: () => Promise.resolve(1n),
    send: () => Promise.reject(new Error('transaction underpriced')),
  };
  const store: Partial<TransactionStore> = {
    latest: () => Promise.resolve(stored),
    markBroadcast: () => Promise.resolve(),
    addAlone: (_job, transaction) => {
      signed.push(transaction);
      return Promise.resolve();
    },
  };
  const address = `0x${'a'.repeat(40)}`;
  const sender = new JobSender(
    account,
    Object.assign(chain, { address }) as unknown as ChainGateway,
    store as TransactionStore,
    { feeCap: 1_000n, bumpMs: BUMP_MS },
  );
  const job = { id: 'job', data: '0x', leastGas: 1n, landed: () => Promise.resolve(false) };
  return { signed, look: () => sender.push(job) };
}

describe('a transaction that is too cheap', () => {
  it('is replaced by a dearer one four times as soon as another, not at each look', async () => {
    const early = underpriced(BUMP_MS / 4 - 1);
    for (let look = 0; look < 5; look++) await early.look();
    expect(early.signed).toHaveLength(0);
    const late = underpriced(BUMP_MS / 4 + 1);
    expect(await late.look()).toBe('underpriced');
    expect(late.signed).toHaveLength(0);
    await late.look();
    expect(late.signed).toHaveLength(1);
  });
});
