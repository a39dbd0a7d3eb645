import { BillingConfig } from '../../billing.config';
import type { ChainStore } from '../../chain/chain.store';
import type { ChainGateway } from '../signer/chain-gateway';
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
