import type { BlockHeader, BlockRef, ChainPosition, ChainStep, SettlementEvent } from './block';
import { BLOCKS_KEPT, ChainFollower } from './chain-follower';
import type { ChainReader } from './chain-reader';
import { ChainScanner } from './chain-scanner';
import type { ChainStore } from './chain.store';
import type { LimitStore } from './limit.store';

const CONFIRMATIONS = 3;

const header = (number: number): BlockHeader => ({
  number,
  hash: `a${number}`,
  parentHash: `a${number - 1}`,
  timestamp: 1_000 + 2 * number,
});

const pulledFrom = (wallet: string): SettlementEvent => ({
  block: header(9),
  logIndex: 0,
  txHash: '0x1',
  kind: 'pulled',
  batchId: '0x2',
  wallet,
  amount: 1n,
});

interface Circumstances {
  /** Whether the node can still tell the state of the safe block. */
  readonly safeIsRead?: boolean;
  readonly events?: readonly SettlementEvent[];
  /** What is known below a head, and whether a server has that block. */
  readonly known?: BlockRef;
  readonly serverHasIt?: boolean;
  /** The newest blocks that are kept, of another fork than the server's, and how much deeper the safe view lies. */
  readonly kept?: readonly BlockRef[];
  readonly confirmations?: number;
}

/** Goes on by one block; one wallet is held to account, another has its turn. */
function setUp(circumstances: Circumstances = {}) {
  const { safeIsRead = true, events = [], known, serverHasIt = true } = circumstances;
  const { kept, confirmations = CONFIRMATIONS } = circumstances;
  const asked: { wallets: readonly string[]; position: ChainPosition }[] = [];
  const recorded: ChainPosition[] = [];
  const steps: ChainStep[] = [];
  const means = { balance: 1n, allowance: 1n, pulled: 0n };
  const reader = {
    header: (number: number) => Promise.resolve(number < 0 || !serverHasIt ? undefined : header(number)),
    limits: (wallets: readonly string[], position: ChainPosition) => {
      asked.push({ wallets, position });
      return Promise.resolve(
        wallets.map((wallet) => ({ wallet, head: means, safe: safeIsRead ? means : undefined })),
      );
    },
  };
  const store = {
    blocks: () => Promise.resolve(kept ?? []),
    newestUpTo: () => Promise.resolve(known),
    record: (_: unknown, step: ChainStep, to: ChainPosition) => {
      steps.push(step);
      recorded.push(to);
      return Promise.resolve();
    },
  };
  const toRead = jest.fn((_cursor: string, _most: number) =>
    Promise.resolve({ active: ['0xb'], others: ['0xa', '0xb'] }),
  );
  const nextBlock = {
    stepTo: (head: BlockHeader) =>
      Promise.resolve({ ancestor: undefined, dropped: 0, headers: [head], events }),
  };
  const [between, inBlocks] = [jest.fn(() => Promise.resolve([])), () => Promise.resolve([])];
  const scanner = new ChainScanner(
    reader as unknown as ChainReader,
    kept ? new ChainFollower(reader, { between, inBlocks }) : (nextBlock as unknown as ChainFollower),
    store as unknown as ChainStore,
    { toRead } as unknown as LimitStore,
    { confirmations },
  );
  return { scanner, asked, recorded, steps, toRead, between };
}

describe('ChainScanner', () => {
  it('has the safe view so many blocks below the head, and at the first block before there are as many', async () => {
    const { scanner, recorded } = setUp();
    await scanner.readOn(undefined, header(9));
    await scanner.readOn(undefined, header(2));
    expect(recorded.map(({ safe }) => safe)).toEqual([
      { number: 9 - CONFIRMATIONS, hash: 'a6' },
      { number: 0, hash: 'a0' },
    ]);
  });

  it('names no safe block whose figures it could not read: what wallets have is of another', async () => {
    const { scanner, asked, recorded } = setUp({ safeIsRead: false });
    await scanner.readOn(undefined, header(9));
    expect(asked[0]?.position.safe).toEqual({ number: 6, hash: 'a6' });
    expect(recorded).toEqual([{ head: header(9), safe: { number: 6, hash: undefined } }]);
  });

  it('reads everybody where the safe view lies deeper than before: what others have was read above it', async () => {
    const { scanner, toRead } = setUp();
    const from = (safe: number) => ({ head: header(8), safe: { number: safe, hash: `a${safe}` } });
    await scanner.readOn(from(5), header(9));
    expect(toRead.mock.calls.at(-1)?.[1]).toBeLessThan(Number.MAX_SAFE_INTEGER);
    await scanner.readOn(from(7), header(9));
    expect(toRead.mock.calls.at(-1)?.slice(0, 2)).toEqual(['', Number.MAX_SAFE_INTEGER]);
  });

  it('goes back to the safe block, however many blocks are no more above it', async () => {
    const confirmations = 2 * BLOCKS_KEPT;
    const kept = Array.from({ length: BLOCKS_KEPT }, (_, at) => ({
      number: 1_000 - at,
      hash: `b${1_000 - at}`,
    }));
    const { scanner, steps, toRead, between } = setUp({ kept, confirmations });
    const safe = { number: 1_000 - confirmations, hash: `a${1_000 - confirmations}` };
    await scanner.readOn({ head: { number: 1_000, hash: 'b1000' }, safe }, header(1_001));
    expect(steps).toMatchObject([{ ancestor: safe, dropped: BLOCKS_KEPT }]);
    // All events from there on, and of wallets as many as at any block.
    expect(between.mock.calls).toEqual([[safe.number + 1, 1_001 - BLOCKS_KEPT]]);
    expect(toRead.mock.calls[0]?.[1]).toBeLessThan(Number.MAX_SAFE_INTEGER);
  });

  it('reads whom events name, though it is nobody’s turn, nobody twice, and all in the order of their locks', async () => {
    const { scanner, asked } = setUp({ events: [pulledFrom('0xb'), pulledFrom('0x9'), pulledFrom('0xc')] });
    await scanner.readOn(undefined, header(9));
    expect(asked.map(({ wallets }) => wallets)).toEqual([['0x9', '0xa', '0xb', '0xc']]);
  });

  it.each([
    ['the known block below it is on its chain', { known: header(4) }, true],
    ['yet another server has no such block, and lags more', { known: header(4), serverHasIt: false }, true],
    ['another block stands there', { known: { number: 4, hash: 'b4' } }, false],
    ['nothing is known that far down', {}, false],
  ])('takes a head for one that lags or not where %s', async (_, given, expected) => {
    expect(await setUp(given).scanner.isBehind(header(5))).toBe(expected);
  });
});
