import { ChainMovedError } from './block';
import type { BlockHeader, SettlementEvent } from './block';
import { BLOCKS_KEPT, ChainFollower } from './chain-follower';

const header = (number: number, fork = 'a', parentFork = fork): BlockHeader => ({
  number,
  hash: `${fork}${number}`,
  parentHash: `${parentFork}${number - 1}`,
  timestamp: 1_000 + 2 * number,
});

const eventIn = ({ number, hash }: BlockHeader): SettlementEvent => ({
  block: { number, hash },
  logIndex: 0,
  txHash: '0x1',
  kind: 'pulled',
  batchId: '0x2',
  wallet: '0x3',
  amount: 1n,
});

/** Follows a chain of fork `b` from `forkAt` on, with these events in recent and in older blocks. */
function follower(forkAt = Infinity, events: SettlementEvent[] = [], older: SettlementEvent[] = []) {
  const asked: [number, number][] = [];
  const read: string[] = [];
  const at = (number: number) =>
    header(number, number >= forkAt ? 'b' : 'a', number - 1 >= forkAt ? 'b' : 'a');
  const follow = new ChainFollower(
    { header: (number) => Promise.resolve(at(number)) },
    {
      between: (first, last) => {
        asked.push([first, last]);
        return Promise.resolve(older);
      },
      inBlocks: (blocks) => {
        read.push(...blocks.map(({ hash }) => hash));
        return Promise.resolve(events);
      },
    },
  );
  return { follow, asked, read, at };
}

const known = (...numbers: number[]) => numbers.map((number) => header(number));

describe('ChainFollower', () => {
  it('takes the next block without asking for others', async () => {
    const { follow, asked, read, at } = follower();
    const step = await follow.stepTo(at(8), known(7, 6));
    expect(step).toMatchObject({ ancestor: { number: 7 }, dropped: 0, headers: [at(8)] });
    expect({ asked, read }).toEqual({ asked: [], read: ['a8'] });
  });

  it('walks back to the last block that is still there, and on from it', async () => {
    const { follow, asked, read, at } = follower(5);
    const step = await follow.stepTo(at(9), known(8, 7, 6, 5, 4, 3));
    expect(step).toMatchObject({ ancestor: { hash: 'a4' }, dropped: 4 });
    expect(step.headers.map(({ hash }) => hash)).toEqual(['b5', 'b6', 'b7', 'b8', 'b9']);
    expect({ asked, read }).toEqual({ asked: [], read: ['b5', 'b6', 'b7', 'b8', 'b9'] });
  });

  it('bridges a long absence: recent blocks, and the events of all of them', async () => {
    const [old, recent] = [eventIn(header(20)), eventIn(header(5_000))];
    const { follow, asked, read, at } = follower(Infinity, [recent], [old]);
    const step = await follow.stepTo(at(5_000), known(10));
    expect(step).toMatchObject({ ancestor: { number: 10 }, dropped: 0, events: [old, recent] });
    expect(step.headers).toHaveLength(BLOCKS_KEPT);
    expect(asked).toEqual([[11, 5_000 - BLOCKS_KEPT]]);
    expect(read).toEqual(step.headers.map(({ hash }) => hash));
  });

  it.each([
    [50_000, [[40_000, 50_000 - BLOCKS_KEPT]]],
    [300, [[0, 300 - BLOCKS_KEPT]]],
    [100, []],
  ])('searches a chain that was never followed for events of 10,000 blocks: at %i', async (length, range) => {
    const { follow, asked, at } = follower();
    const step = await follow.stepTo(at(length), []);
    expect(step).toMatchObject({ ancestor: undefined, dropped: 0 });
    expect(step.headers).toHaveLength(Math.min(length + 1, BLOCKS_KEPT));
    expect(asked).toEqual(range);
  });

  it('gives up when what lies above the last block it knows is another chain’s', async () => {
    // The server that is asked for the block it knows has it; whoever is asked next has another in its place.
    const { at } = follower(0);
    const torn = new ChainFollower(
      { header: (number) => Promise.resolve(number === 7 ? header(7) : at(number)) },
      { between: () => Promise.resolve([]), inBlocks: () => Promise.resolve([]) },
    );
    await expect(torn.stepTo(at(9), known(7))).rejects.toThrow(ChainMovedError);
  });

  it('gives up when the chain changes under its hands', async () => {
    const { follow } = follower(5);
    await expect(follow.stepTo(header(9, 'c'), known(4))).rejects.toThrow(ChainMovedError);
    const stray = follower(Infinity, [eventIn(header(8, 'z'))]);
    await expect(stray.follow.stepTo(header(8), known(7))).rejects.toThrow(ChainMovedError);
  });

  it('takes no block for undone because one server of many does not have it', async () => {
    let asked = 0;
    const lagging = new ChainFollower(
      { header: (number) => Promise.resolve(asked++ < 2 ? undefined : header(number)) },
      { between: () => Promise.resolve([]), inBlocks: () => Promise.resolve([]) },
    );
    await expect(lagging.stepTo(header(10), known(8, 7, 6, 5))).rejects.toThrow(ChainMovedError);
  });

  it('reads on without events only when every block was there to be asked', async () => {
    const refusing = (newest: BlockHeader) =>
      new ChainFollower(
        { header: () => Promise.resolve(newest) },
        { between: () => Promise.resolve([]), inBlocks: () => Promise.reject(new Error('unknown block')) },
      );
    await expect(refusing(header(8)).stepTo(header(8), known(7))).rejects.toThrow('unknown block');
    await expect(refusing(header(8, 'b')).stepTo(header(8), known(7))).rejects.toThrow(ChainMovedError);
  });
});
