import type { ChainStore } from '../../chain/chain.store';
import type { ChainGateway } from '../signer/chain-gateway';
import { PayoutBooking } from './payout-booking';
import type { PayoutStore } from './payout.store';

/**
 * Books what the chain shows of these providers; 5 to `a` and 7 to `b` are booked, as of a block that is on the chain yet or not, unless
 * nothing is. `named` are those in events since.
 */
async function book(
  onChain: Record<string, bigint>,
  named: string[],
  {
    isOnChain = true,
    isFirst = false,
    safe = 'now',
    isSafeKnown = true,
    isReadable = true,
    commit = () => Promise.resolve(),
  } = {},
) {
  const asked: string[] = [];
  const booked: unknown[] = [];
  const positions = { position: () => Promise.resolve({ safe: { hash: isSafeKnown ? safe : undefined } }) };
  const chain = {
    totalPaid: () =>
      isReadable
        ? Promise.resolve(Object.values(onChain).reduce((sum, amount) => sum + amount, 0n))
        : Promise.reject(Object.assign(new Error('missing'), { code: 'BAD_DATA' })),
    paid: (provider: string) => {
      asked.push(provider);
      return Promise.resolve(onChain[provider] ?? 0n);
    },
    numberOf: (hash: string) => Promise.resolve(hash === 'before' && isOnChain ? 700 : undefined),
  };
  const store = {
    paidView: () =>
      Promise.resolve(
        isFirst
          ? { safeHash: undefined, paid: new Map() }
          : { safeHash: 'before', paid: new Map(Object.entries({ a: 5n, b: 7n })) },
      ),
    paidSince: (block: number) => Promise.resolve(block === (isFirst ? -1 : 700) ? named : ['z']),
    providers: () => Promise.resolve(['a', 'b', 'c', 'd']),
    book: (before: string | undefined, safeHash: string, paid: ReadonlyMap<string, bigint>) => {
      booked.push([before, safeHash, Object.fromEntries(paid)]);
      return commit();
    },
  };
  await new PayoutBooking(
    positions as unknown as ChainStore,
    chain as unknown as ChainGateway,
    store as unknown as PayoutStore,
  ).book();
  return { asked, booked };
}

describe('PayoutBooking', () => {
  it('asks for nobody when the chain paid nothing more', async () => {
    expect(await book({ a: 5n, b: 7n }, [])).toEqual({ asked: [], booked: [['before', 'now', {}]] });
  });

  it('asks for those who claimed, and for nobody else', async () => {
    expect(await book({ a: 5n, b: 9n, c: 8n }, ['b', 'c'])).toEqual({
      asked: ['b', 'c'],
      booked: [['before', 'now', { b: 9n, c: 8n }]],
    });
  });

  it('asks for everybody when events do not say all: a payout was undone', async () => {
    const { asked, booked } = await book({ b: 7n, c: 8n }, ['c']);
    expect(asked).toEqual(['c', 'a', 'b', 'c', 'd']);
    expect(booked).toEqual([['before', 'now', { a: 0n, b: 7n, c: 8n, d: 0n }]]);
  });

  it('asks for everybody when the block that was booked is gone: the same sum may be paid to others', async () => {
    const { booked } = await book({ b: 7n, c: 5n }, ['c'], { isOnChain: false });
    expect(booked).toEqual([['before', 'now', { a: 0n, b: 7n, c: 5n, d: 0n }]]);
  });

  it('asks at first for whomever events name, from the first block on', async () => {
    expect(await book({ a: 5n, c: 8n }, ['a', 'c'], { isFirst: true })).toEqual({
      asked: ['a', 'c'],
      booked: [[undefined, 'now', { a: 5n, c: 8n }]],
    });
  });

  it.each([
    ['is the one that was booked', { safe: 'before' }],
    ['is not known', { isSafeKnown: false }],
    ['cannot be read', { isReadable: false }],
  ])('books nothing while the safe block %s', async (_, given) => {
    expect(await book({ a: 5n, b: 9n }, ['b'], given)).toEqual({ asked: [], booked: [] });
  });

  it('fails when it cannot be booked', async () => {
    const commit = () => Promise.reject(new Error('away'));
    await expect(book({ a: 5n, b: 9n }, ['b'], { commit })).rejects.toThrow('away');
  });
});
