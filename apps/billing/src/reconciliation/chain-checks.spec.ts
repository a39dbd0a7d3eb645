import { ChainError } from '@svc/contracts-evm';
import type { ChainConnection } from '../chain/chain-connection';
import { Rests } from '../database/rests';
import type { PayoutStore } from '../settlement/payout/payout.store';
import type { ChainGateway } from '../settlement/signer/chain-gateway';
import { ChainChecks } from './chain-checks';
import type { ReconciliationStore } from './reconciliation.store';

const USDC = `0x${'c'.repeat(40)}`;
const WALLETS = 10_000;
const PROVIDERS = 40;

const word = (value: number | string) => BigInt(value).toString(16).padStart(64, '0');

/** What `positionsOf` answers for as many wallets as it is asked for: so much was pulled from each. */
function answerTo(data: string, pulled: number): string {
  const wallets = (data.length - '0x'.length - 8) / 64 - 2;
  const position = word(0) + word(0) + word(pulled);
  return `0x${word(USDC)}${word(64)}${word(wallets)}${position.repeat(wallets)}`;
}

/** As ethers has it that a node answered with an error. */
function failure(message: string): Error {
  return Object.assign(new Error('missing revert data'), {
    code: 'CALL_EXCEPTION',
    data: null,
    info: { error: { code: -32_000, message } },
  });
}

interface Circumstances {
  leaveAt?: number;
  pulled?: number;
  /** What the node says instead of an answer, and at which question: the second if none is given. */
  error?: Error;
  failsAt?: number;
  /** What the ledger says that the first wallet has paid. */
  firstPaid?: bigint;
  /** The number of the ledger's block. */
  block?: number;
  /** What the ledger and the chain say that the first provider was paid. */
  paid?: readonly [ledger: bigint, chain: bigint];
}

/** Comparisons of a ledger that says that nothing was pulled, over which the process ends at the given question. */
function setUp(circumstances: Circumstances = {}) {
  const { leaveAt = Infinity, pulled = 0, error, failsAt = 2, firstPaid = 0n, block } = circumstances;
  const { paid = [0n, 0n] } = circumstances;
  const providers = Array.from({ length: PROVIDERS }, (_, at) => `0x${word(at).slice(24)}`);
  const rests = new Rests();
  let asked = 0;
  const call = ({ data }: { data: string }) => {
    if (++asked === leaveAt) rests.leave();
    if (error && asked === failsAt) return Promise.reject(error);
    return Promise.resolve(answerTo(data, pulled));
  };
  const settled = Array.from(
    { length: WALLETS },
    (_, at) => [`0x${word(at).slice(24)}`, at === 0 ? firstPaid : 0n] as const,
  );
  const pieces: number[] = [];
  const settledByWallet = (beyond: string, most: number) => {
    const piece = settled.filter(([wallet]) => wallet > beyond).slice(0, most);
    pieces.push(piece.length);
    return Promise.resolve({ safeHash: '0xa', settled: new Map(piece) });
  };
  const checks = new ChainChecks(
    {
      settledByWallet,
      settledView: () => Promise.resolve({ safeHash: '0xa', settled: 0n }),
    } as unknown as ReconciliationStore,
    {
      paidView: () => Promise.resolve({ safeHash: '0xa', paid: new Map([[providers[0], paid[0]]]) }),
      providers: () => Promise.resolve(providers),
    } as unknown as PayoutStore,
    {
      numberOf: () => Promise.resolve(block),
      totalPulled: () => (error ? Promise.reject(error) : Promise.resolve(BigInt(pulled))),
      totalPaid: () => Promise.resolve(0n),
      paid: (provider: string) => {
        if (++asked === leaveAt) rests.leave();
        if (error && asked === failsAt) return Promise.reject(error);
        return Promise.resolve(provider === providers[0] ? paid[1] : 0n);
      },
    } as unknown as ChainGateway,
    {
      options: { usdc: USDC, settlement: `0x${'d'.repeat(40)}` },
      open: () => Promise.resolve({ call }),
    } as unknown as ChainConnection,
    rests,
  );
  return { checks, pieces, questions: () => asked };
}

describe('ChainChecks', () => {
  it('compares every wallet, and has few of them in memory at once', async () => {
    const { checks, pieces, questions } = setUp();
    expect(await checks.wallets()).toEqual([]);
    expect(questions()).toBe(20);
    expect(pieces).toEqual([4_000, 4_000, 2_000]);
  });

  it('tells of some that differ, and looks for no more', async () => {
    const { checks, pieces } = setUp({ pulled: 1 });
    const differences = await checks.wallets();
    expect(differences).toHaveLength(20);
    expect(differences[0]).toMatchObject({ subject: `0x${word(0).slice(24)}`, expected: '1', actual: '0' });
    expect(pieces).toEqual([4_000]);
  });

  it('does not go through all wallets, however many, when the process ends', async () => {
    const { checks, questions } = setUp({ leaveAt: 1 });
    await expect(checks.wallets()).rejects.toMatchObject({ name: 'AbortError' });
    expect(questions()).toBe(8);
  });

  it('compares every provider, though what all together were paid agrees', async () => {
    const { checks, questions } = setUp({ paid: [7n, 5n] });
    expect(await checks.providers()).toEqual([
      {
        rule: 'paid in the ledger is paid on chain, at the safe block',
        subject: `0x${word(0).slice(24)}`,
        expected: '5',
        actual: '7',
      },
    ]);
    expect(questions()).toBe(PROVIDERS);
    await expect(setUp({ leaveAt: 1 }).checks.providers()).rejects.toMatchObject({ name: 'AbortError' });
    const silent = { error: failure('too many requests'), failsAt: 20, block: 7 };
    await expect(setUp(silent).checks.providers()).rejects.toBe(silent.error);
    expect(await setUp({ ...silent, paid: [7n, 5n] }).checks.providers()).toHaveLength(1);
  });

  it.each([failure('too many requests'), failure('missing trie node')])(
    'finds nothing out, not that nothing differs, where the node does not say: $info.error.message',
    async (error) => {
      const { checks } = setUp({ pulled: 1, error, block: 7 });
      await expect(checks.totals()).rejects.toBe(error);
      await expect(checks.wallets()).rejects.toBe(error);
    },
  );

  it('tells what it had found when the node says no more', async () => {
    const { checks } = setUp({ error: failure('too many requests'), failsAt: 10, firstPaid: 5n, block: 7 });
    expect(await checks.wallets()).toMatchObject([{ subject: `0x${word(0).slice(24)}` }]);
  });

  it.each([
    { case: 'where the block is no longer on the chain', error: failure('header not found') },
    { case: 'where the contract was not there yet', error: new ChainError('no_contract', ''), block: 7 },
    { case: 'where it was another contract', error: failure('execution reverted'), block: 7 },
  ])('has nothing to compare $case', async ({ error, block }) => {
    const { checks } = setUp({ error, block });
    expect(await checks.totals()).toEqual([]);
    expect(await checks.wallets()).toEqual([]);
    expect(await setUp({ error, block, failsAt: 1, paid: [7n, 7n] }).checks.providers()).toEqual([]);
  });
});
