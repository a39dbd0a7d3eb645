import { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import type { ProjectionService } from '../receipt/projection.service';
import type { Collection, ReceiptStore } from '../receipt/receipt.store';
import type { Candidate } from './batch';
import { BatchPlanner } from './batch-planner.service';
import type { BatchStore } from './batch.store';

/** A planner before which so many pieces of receipts wait, and what it has asked. */
function planner(pieces: number, afterPiece: () => void = () => undefined) {
  const rests = new Rests();
  const projection = {
    stopped: false,
    project: jest.fn((_name: string, _options?: { deadlineMs?: number }) => {
      pieces--;
      afterPiece();
      return Promise.resolve(pieces <= 0);
    }),
  };
  const candidates = jest.fn(() => Promise.resolve([]));
  const batches = { candidates } as unknown as BatchStore;
  const receipts = {} as ReceiptStore;
  const service = new BatchPlanner(
    new BillingConfig(),
    batches,
    receipts,
    projection as unknown as ProjectionService,
    rests,
  );
  return { service, rests, projection, candidates };
}

describe('BatchPlanner', () => {
  it('asks nobody before all receipts are made, a piece at a time', async () => {
    const { service, projection, candidates } = planner(3, () => expect(candidates).not.toHaveBeenCalled());
    await expect(service.plan()).resolves.toBeUndefined();
    expect(projection.project).toHaveBeenCalledTimes(3);
    for (const [, options] of projection.project.mock.calls)
      expect(options?.deadlineMs).toBeLessThan(Infinity);
    expect(candidates).toHaveBeenCalledTimes(1);
  });

  it.each(['settlement', 'the projection'])('asks nobody when %s ends meanwhile', async (which) => {
    const { service, rests, projection, candidates } = planner(3, () => {
      if (which === 'settlement') rests.leave();
      else projection.stopped = true;
    });
    await expect(service.plan()).resolves.toBeUndefined();
    expect(projection.project).toHaveBeenCalledTimes(1);
    expect(candidates).not.toHaveBeenCalled();
  });
});

describe('what a batch takes', () => {
  const candidate = (digit: string, changes: Partial<Candidate> = {}): Candidate => ({
    ...{
      wallet: `0x${digit.repeat(40)}`,
      seq: 0,
      cumulative: 0n,
      fresh: 20n,
      owed: 20n,
      means: 20n,
      tries: 0,
    },
    ...changes,
  });
  const again = (digit: string) => candidate(digit, { seq: 1, cumulative: 20n, fresh: 0n, tries: 1 });

  /** A batch of two wallets at most, and of so many receipts, five of a wallet: of whom each has as many as are asked for. */
  async function batchOf(settlementMaxBatchReceipts: number, candidates: readonly Candidate[]) {
    const limits = { settlementMaxDues: 2, settlementMaxReceipts: 5, settlementMaxBatchReceipts };
    const asked: number[] = [];
    const unbatched = (wallet: string, most: number): Promise<Collection> => {
      asked.push(most);
      const leaf = (_: unknown, id: number) =>
        ({ id: `req_${id}`, kind: 'usage', amount: 1n, leaf: `0x${wallet.slice(2, 3).repeat(64)}` }) as const;
      return Promise.resolve({ leaves: Array.from({ length: most }, leaf), more: false });
    };
    const found = jest.fn((_terms: unknown) => Promise.resolve(candidates));
    const batch = await new BatchPlanner(
      Object.assign(new BillingConfig(), limits),
      { candidates: found } as unknown as BatchStore,
      { unbatched } as unknown as ReceiptStore,
      { stopped: false, project: () => Promise.resolve(true) } as unknown as ProjectionService,
      new Rests(),
    ).plan();
    // Of twice as many as it takes, since some may have nothing.
    const terms = { most: 4, leastFresh: 10_000n, longestWaitMs: 7 * 86_400_000, urgentFrom: 50_000_000n };
    expect(found.mock.calls).toMatchObject([[terms]]);
    return { asked, wallets: batch?.dues.map(({ wallet }) => wallet[2]).join(''), more: batch?.more };
  }

  it.each<[string, number, Candidate[], { asked: number[]; wallets: string; more: boolean }]>([
    ['all', 10, [candidate('a'), candidate('b')], { asked: [5, 5], wallets: 'ab', more: false }],
    [
      'no more wallets than it may',
      99,
      [candidate('a'), candidate('b'), candidate('c')],
      { asked: [5, 5], wallets: 'ab', more: true },
    ],
    [
      'no more receipts than it may',
      9,
      [candidate('a'), candidate('b')],
      { asked: [5, 4], wallets: 'ab', more: false },
    ],
    [
      'nobody for whom there are too few places, which the next one has',
      8,
      [candidate('a'), candidate('b'), again('c')],
      { asked: [5], wallets: 'ac', more: true },
    ],
    [
      'who is only asked again without a place',
      5,
      [candidate('a'), again('b')],
      { asked: [5], wallets: 'ab', more: false },
    ],
    [
      'no receipts of who is only asked again',
      99,
      [again('a'), candidate('b')],
      { asked: [5], wallets: 'ab', more: false },
    ],
  ])('%s', async (_, places, candidates, expected) => {
    expect(await batchOf(places, candidates)).toEqual(expected);
  });
});
