import type { ChainStore } from '../chain/chain.store';
import { NO_RECEIPTS } from './batch';
import { BatchTracker } from './batch-tracker';
import type { OutcomeStore } from './outcome.store';
import type { ChainGateway } from './signer/chain-gateway';

const ROOT = `0x${'1'.repeat(64)}`;
const OTHER = `0x${'2'.repeat(64)}`;
/** As a server says it of a block that it does not have. */
const unreadable = () => Object.assign(new Error('missing'), { code: 'BAD_DATA' });

interface Case {
  readonly state?: 'signed' | 'mined';
  /** The batch's root at the head, and at the safe depth. */
  readonly head?: string | Error;
  readonly safe?: string | Error;
  readonly isSafeKnown?: boolean;
  readonly failedIn?: string;
  readonly isStopped?: boolean;
  /** Whether the chain's view still is what it was when the outcome is written. */
  readonly stands?: boolean;
}

/** What the tracker sees, and what it writes down. */
async function observe({ state = 'mined', head = ROOT, safe = ROOT, ...given }: Case) {
  const { isSafeKnown = true, failedIn, isStopped, stands = true } = given;
  const written: unknown[] = [];
  const chain = {
    batchRoot: (_: string, block: string) => {
      const root = block === 'latest' ? head : safe;
      return root instanceof Error ? Promise.reject(root) : Promise.resolve(root);
    },
    isTokenStopped: () => Promise.resolve(isStopped),
    costOf: (hash: string) => Promise.resolve(hash === 'tx' ? 7n : undefined),
  };
  const safeBlock = { number: 8, hash: isSafeKnown ? 'safe' : undefined };
  const outcomes = {
    mined: () => Promise.resolve(written.push('mined')),
    reopen: () => Promise.resolve(written.push('reopened')),
    failureBlock: (_: string, number: number) => Promise.resolve(number === 8 ? failedIn : undefined),
    transactionOf: () => Promise.resolve('tx'),
    settled: (_: string, safeHash: string, outcome: object) => {
      written.push({ safeHash, ...outcome });
      return Promise.resolve(stands);
    },
  };
  const tracker = new BatchTracker(
    chain as unknown as ChainGateway,
    { position: () => Promise.resolve({ safe: safeBlock }) } as unknown as ChainStore,
    outcomes as unknown as OutcomeStore,
  );
  return [await tracker.observe({ batchId: 'batch', root: ROOT, state, ageMs: 0 }), ...written];
}

describe('BatchTracker', () => {
  const settled = { safeHash: 'safe', excused: false, txHash: 'tx', gasCost: 7n };

  it.each<[string, Case, unknown[]]>([
    ['is not on the chain', { state: 'signed', head: NO_RECEIPTS }, ['absent']],
    ['is there no more', { head: NO_RECEIPTS }, ['absent', 'reopened']],
    ['is another there', { state: 'signed', head: OTHER }, ['conflict']],
    ['is there by now', { state: 'signed', safe: NO_RECEIPTS }, ['mined', 'mined']],
    ['is there, and not at the safe depth', { safe: NO_RECEIPTS }, ['mined']],
    ['is there, and the safe depth cannot be read', { safe: unreadable() }, ['mined']],
    ['is there, and the safe depth is not known', { isSafeKnown: false }, ['mined']],
    ['is done', {}, ['settled', settled]],
    ['is done, the view moved on', { stands: false }, ['mined', settled]],
    ['failed for some', { failedIn: 'block', isStopped: false }, ['settled', settled]],
    [
      'failed for some while the token was stopped',
      { failedIn: 'block', isStopped: true },
      ['settled', { ...settled, excused: true }],
    ],
    [
      'failed for some when nobody knows whether the token was stopped',
      { failedIn: 'block' },
      ['settled', { ...settled, excused: true }],
    ],
  ])('finds that a batch %s', async (_, given, expected) => {
    expect(await observe(given)).toEqual(expected);
  });

  it('finds nothing when the head cannot be read', async () => {
    await expect(observe({ head: unreadable() })).rejects.toThrow('missing');
  });
});
