import { SettlementPausedError } from '../pause.store';
import type { ChainGateway } from './chain-gateway';
import { JobSender } from './job-sender';
import { SignerAccount } from './signer-account';
import type { StoredTransaction, TransactionStore } from './transaction.store';

const BUMP_MS = 60_000;
const ACCOUNT = new SignerAccount(`0x${'1'.repeat(64)}`, 1);
const ADDRESS = `0x${'a'.repeat(40)}`;

const transaction = (nonce: number, hash = `0x${nonce}`): StoredTransaction => ({
  signer: ACCOUNT.address,
  hash,
  nonce,
  gasLimit: 1n,
  fees: { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n },
  raw: hash,
  ageMs: 0,
});

/** A sender of a job whose latest transaction this is, on a chain where the account's next nonce is this. */
function senderOf(latest: StoredTransaction | undefined, next: number) {
  const at = { next, landed: false, anothers: false };
  /** What was done, in order: bytes are marked as out before they are. */
  const done: string[] = [];
  const chain: Partial<ChainGateway> = {
    nonce: () => Promise.resolve(at.next),
    fees: () => Promise.resolve({ maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }),
    balance: () => Promise.resolve(10n ** 9n),
    estimateGas: () => Promise.resolve(100n),
    mostGas: () => Promise.resolve(1_000n),
    send: (raw) => Promise.resolve(void done.push(`send ${raw.slice(0, 4)}`)),
  };
  const store: Partial<TransactionStore> = {
    latest: () => Promise.resolve(latest),
    isAnothers: () => Promise.resolve(at.anothers),
    markBroadcast: (hash) => Promise.resolve(void done.push(`mark ${hash.slice(0, 4)}`)),
    addAlone: (_job, { nonce, gasLimit }) =>
      Promise.resolve(void done.push(`sign ${nonce} with ${gasLimit} gas`)),
  };
  const sender = new JobSender(
    ACCOUNT,
    Object.assign(chain, { address: ADDRESS }) as unknown as ChainGateway,
    store as TransactionStore,
    { feeCap: 1_000n, bumpMs: BUMP_MS },
  );
  const job = { id: 'job', data: '0x', leastGas: 1n, landed: () => Promise.resolve(at.landed) };
  const look = (...others: StoredTransaction[]) => sender.push(job, others);
  const signings = () => done.filter((step) => step.startsWith('sign'));
  return { at, chain, store, done, look, signings };
}

/** A sender whose one transaction, so old, is too cheap for every server. */
function underpriced(ageMs: number) {
  const stored = { ...transaction(0), ageMs };
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
  const sender = new JobSender(
    ACCOUNT,
    Object.assign(chain, { address: ADDRESS }) as unknown as ChainGateway,
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

  it('is replaced after the database’s clock was set back to before its signature', async () => {
    const early = underpriced(-86_400_000);
    await early.look();
    await early.look();
    expect(early.signed).toHaveLength(1);
  });
});

describe('a job that has no transaction on its way', () => {
  it('is signed with the nonce after those of the others, stored before it goes out, with gas to spare', async () => {
    const { done, look } = senderOf(undefined, 3);
    expect(await look(transaction(3), transaction(5), transaction(4))).toBe('sent');
    expect(done).toEqual([
      'sign 6 with 130 gas',
      expect.stringMatching(/^mark/),
      expect.stringMatching(/^send/),
    ]);
  });

  it.each([new Error('no database'), new SettlementPausedError('settlement is paused')])(
    'is not sent unless it is known that it is about to be: $message',
    async (error) => {
      const { store, done, look } = senderOf(undefined, 3);
      store.markBroadcast = () => Promise.reject(error);
      await expect(look()).rejects.toBe(error);
      expect(done).toEqual(['sign 3 with 130 gas']);
    },
  );

  it('says what is in the way of its signature: what it would cost, or the chain, which is no state', async () => {
    const { chain, done, look } = senderOf(undefined, 3);
    chain.fees = () => Promise.resolve(undefined);
    expect(await look()).toBe('fee_above_cap');
    chain.fees = () => Promise.reject(new Error('no chain'));
    await expect(look()).rejects.toThrow('no chain');
    expect(done).toEqual([]);
  });

  it('is not signed once it is done, nor while another signer sees to it', async () => {
    const { at, done, look } = senderOf(undefined, 3);
    at.anothers = true;
    expect(await look()).toBe('waiting');
    Object.assign(at, { anothers: false, landed: true });
    expect(await look()).toBe('waiting');
    expect(done).toEqual([]);
  });

  it('is not signed again when its nonce is used up and the job is done', async () => {
    const { at, done, look } = senderOf(transaction(2), 3);
    at.landed = true;
    expect(await look()).toBe('waiting');
    expect(done).toEqual([]);
    at.landed = false;
    expect(await look()).toBe('sent');
    expect(done[0]).toBe('sign 3 with 130 gas');
  });
});

describe('a transaction whose nonce cannot come yet', () => {
  it('waits for those before it as long as another job has one of them', async () => {
    const { done, look, signings } = senderOf(transaction(5), 3);
    for (let seen = 0; seen < 10; seen++) await look(transaction(3));
    expect(signings()).toEqual([]);
    // Sent once: the next time is some seconds off.
    expect(done).toEqual(['mark 0x5', 'send 0x5']);
  });

  it.each([[[]], [[2, 5, 6]]])(
    'takes the free nonce when nobody has it (others: %j) at five looks in a row',
    async (nonces) => {
      const others = nonces.map((nonce) => transaction(nonce, `0xother${nonce}`));
      const { at, look, signings } = senderOf(transaction(5), 3);
      for (let seen = 0; seen < 4; seen++) await look(...others);
      // The server only lagged.
      at.next = 5;
      await look(...others);
      at.next = 3;
      for (let seen = 0; seen < 4; seen++) await look(...others);
      expect(signings()).toEqual([]);
      expect(await look(...others)).toBe('sent');
      expect(signings()).toEqual(['sign 3 with 130 gas']);
    },
  );
});
