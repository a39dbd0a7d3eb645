import { payoutRoot } from '@svc/contracts-evm';
import type { Earning } from '@svc/contracts-evm';
import { BillingConfig } from '../../billing.config';
import type { ChainStore } from '../../chain/chain.store';
import type { ChainGateway } from '../signer/chain-gateway';
import { HinderedError } from '../signer/job-sender';
import type { JobSender } from '../signer/job-sender';
import type { TransactionStore } from '../signer/transaction.store';
import { PayoutCycle } from './payout-cycle';
import type { Payout, PayoutStore } from './payout.store';

/** What comes of a root that is not settled yet when the chain's head has another, or that one. */
async function advance(state: Payout['state'], isOnChain: boolean) {
  const newest = { payoutId: 'payout', root: 'ours', state, ageMs: 0, createdAt: new Date() };
  const setOpen = jest.fn(() => Promise.resolve());
  const push = jest.fn(() => Promise.resolve('sent' as const));
  const cycle = new PayoutCycle(
    new BillingConfig(),
    { position: () => Promise.resolve(undefined) } as unknown as ChainStore,
    {
      payoutRoot: () => Promise.resolve(isOnChain ? 'ours' : 'another'),
      contract: () => Promise.resolve({ interface: { encodeFunctionData: () => '0x' } }),
    } as unknown as ChainGateway,
    {} as TransactionStore,
    { newest: () => Promise.resolve(newest), setOpen } as unknown as PayoutStore,
  );
  expect(await cycle.advance({ push } as unknown as JobSender)).toEqual({ state: 'in_flight' });
  return { noted: setOpen.mock.calls, pushed: push.mock.calls.length };
}

const INTERVAL_MS = 600_000;

/** A cycle whose newest root is settled since `ageMs`; what was earned since makes the root `ours`. The chain has a root as each look finds it. */
function settled(ageMs: number, onChain: readonly string[] = [], settledBlock = 7) {
  const looks = [...onChain];
  const newest = {
    payoutId: 'payout',
    root: 'before',
    state: 'settled' as const,
    ageMs,
    createdAt: new Date(),
    settledBlock,
  };
  const store = {
    newest: () => Promise.resolve(newest),
    release: jest.fn(() => Promise.resolve()),
    earnings: jest.fn(() => Promise.resolve([] as Earning[])),
    add: jest.fn(() => Promise.resolve()),
  };
  const cycle = new PayoutCycle(
    Object.assign(new BillingConfig(), { payoutIntervalMs: INTERVAL_MS }),
    {
      position: () => Promise.resolve({ safe: { number: 7, hash: 'safe' } }),
    } as unknown as ChainStore,
    {
      payoutRoot: () => Promise.resolve(looks.shift() ?? 'before'),
      contract: () => Promise.resolve({ interface: { encodeFunctionData: () => '0x' } }),
    } as unknown as ChainGateway,
    {} as TransactionStore,
    store as unknown as PayoutStore,
  );
  const payer = { sign: jest.fn(() => Promise.resolve('signed')), push: () => Promise.resolve('sent') };
  return { ...store, payer, advance: () => cycle.advance(payer as unknown as JobSender) };
}

describe('the next root', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is not made before its time', async () => {
    const { advance, release } = settled(INTERVAL_MS - 1);
    expect(await advance()).toEqual({ state: 'idle' });
    expect(release).not.toHaveBeenCalled();
  });

  it('is not made before its time, but it is told when the chain has one that is not ours: looked for once a minute', async () => {
    const { advance, add } = settled(INTERVAL_MS - 1, ['before', 'theirs', 'before']);
    const conflict = { state: 'conflict', detail: 'the chain has a payout root that is not ours' };
    const found = [];
    for (let look = 0; look < 3; look++) {
      found.push(await advance());
      jest.advanceTimersByTime(59_999);
      found.push(await advance());
      jest.advanceTimersByTime(1);
    }
    expect(found).toEqual([
      { state: 'idle' },
      { state: 'idle' },
      conflict,
      conflict,
      { state: 'idle' },
      { state: 'idle' },
    ]);
    expect(add).not.toHaveBeenCalled();
  });

  it('is not missed where the safe block lies below it, as with more confirmations than before', async () => {
    const { advance } = settled(INTERVAL_MS - 1, ['the one before'], 8);
    expect(await advance()).toEqual({ state: 'idle' });
  });

  it.each([
    ['its time has come', INTERVAL_MS],
    ['the database’s clock was set back to before the last', -86_400_000],
  ])('is made when %s, of what was earned', async (_, ageMs) => {
    const { advance, earnings, add } = settled(ageMs);
    const earned = [{ provider: `0x${'1'.repeat(40)}`, cumulative: 7n }];
    earnings.mockResolvedValue(earned);
    expect(await advance()).toEqual({ state: 'in_flight' });
    const root = payoutRoot(earned);
    expect(add.mock.calls).toEqual([[expect.stringMatching(/^0x[0-9a-f]{64}$/), root, earned, 'signed']]);
  });

  it('is looked for once a minute when nothing was earned: that reads all wallets', async () => {
    const { advance, release } = settled(INTERVAL_MS);
    expect(await advance()).toEqual({ state: 'idle' });
    jest.advanceTimersByTime(59_999);
    expect(await advance()).toEqual({ state: 'idle' });
    expect(release).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    await advance();
    expect(release).toHaveBeenCalledTimes(2);
  });

  it('says until then why it could not be made', async () => {
    const { advance, earnings, payer } = settled(INTERVAL_MS);
    earnings.mockResolvedValue([{ provider: `0x${'1'.repeat(40)}`, cumulative: 7n }]);
    payer.sign.mockRejectedValue(new HinderedError('insufficient_gas'));
    await expect(advance()).rejects.toThrow(HinderedError);
    expect(await advance()).toEqual({ state: 'insufficient_gas' });
    expect(payer.sign).toHaveBeenCalledTimes(1);
  });
});

describe('PayoutCycle', () => {
  it.each([
    ['signed', false, { noted: [], pushed: 1 }],
    ['signed', true, { noted: [['payout', 'mined']], pushed: 0 }],
    ['mined', true, { noted: [], pushed: 0 }],
    // Nobody can claim by it any more: until it is there again, one before it counts.
    ['mined', false, { noted: [['payout', 'signed']], pushed: 1 }],
  ] as const)(
    'sees a root through that is %s, on the chain or not: %s',
    async (state, isOnChain, expected) => {
      expect(await advance(state, isOnChain)).toEqual(expected);
    },
  );
});
