import type { ChainConnection } from '../chain/chain-connection';
import { Rests } from '../database/rests';
import type { PayoutStore } from '../settlement/payout/payout.store';
import type { ChainGateway } from '../settlement/signer/chain-gateway';
import { ChainChecks } from './chain-checks';
import type { ReconciliationStore } from './reconciliation.store';

const USDC = `0x${'c'.repeat(40)}`;
const WALLETS = 10_000;

const word = (value: number | string) => BigInt(value).toString(16).padStart(64, '0');

/** What `positionsOf` answers for as many wallets as it is asked for: nothing was ever pulled. */
function answerTo(data: string): string {
  const wallets = (data.length - '0x'.length - 8) / 64 - 2;
  return `0x${word(USDC)}${word(64)}${word(wallets)}${word(0).repeat(3 * wallets)}`;
}

/** Comparisons of a ledger that says the same as the chain, over which the process ends at the given question. */
function setUp(leaveAt = Infinity) {
  const rests = new Rests();
  let asked = 0;
  const call = ({ data }: { data: string }) => {
    if (++asked === leaveAt) rests.leave();
    return Promise.resolve(answerTo(data));
  };
  const settled = Array.from({ length: WALLETS }, (_, at) => [`0x${word(at).slice(24)}`, 0n] as const);
  const checks = new ChainChecks(
    {
      settledByWallet: () => Promise.resolve({ safeHash: '0xa', settled: new Map(settled) }),
    } as ReconciliationStore,
    {} as PayoutStore,
    {} as ChainGateway,
    {
      options: { usdc: USDC, settlement: `0x${'d'.repeat(40)}` },
      open: () => Promise.resolve({ call }),
    } as unknown as ChainConnection,
    rests,
  );
  return { checks, questions: () => asked };
}

describe('ChainChecks', () => {
  it('compares every wallet', async () => {
    const { checks, questions } = setUp();
    expect(await checks.wallets()).toEqual([]);
    expect(questions()).toBe(20);
  });

  it('does not go through all wallets, however many, when the process ends', async () => {
    const { checks, questions } = setUp(1);
    await expect(checks.wallets()).rejects.toMatchObject({ name: 'AbortError' });
    expect(questions()).toBe(8);
  });
});
