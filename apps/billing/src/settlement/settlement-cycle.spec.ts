import { BillingConfig } from '../billing.config';
import type { BatchPlanner } from './batch-planner.service';
import type { BatchStore, OpenBatch } from './batch.store';
import type { BatchTracker } from './batch-tracker';
import { SettlementCycle } from './settlement-cycle';
import type { Settler } from './settlement-cycle';
import { HinderedError } from './signer/job-sender';
import type { SendState } from './signer/job-sender';
import type { StoredTransaction } from './signer/transaction.store';

interface Known {
  readonly sighting: Awaited<ReturnType<BatchTracker['observe']>>;
  /** Of its latest transaction; none was signed unless told. */
  readonly nonce?: number;
  /** What sending it comes to. */
  readonly reached?: SendState;
}

/** A cycle long after the last batch, with these batches open, by their ids. */
function cycleOf(known: Record<string, Known>) {
  /** What was pushed, and whose transactions were said to be on their way beside it. */
  const pushed: [id: string, others: number[]][] = [];
  const plan = jest.fn(() => Promise.resolve(undefined));
  const open = Object.keys(known).map((batchId): OpenBatch => ({
    batchId,
    root: '0x',
    state: 'signed',
    ageMs: 0,
  }));
  const batches: Partial<BatchStore> = {
    open: () => Promise.resolve(open),
    dues: () => Promise.resolve([]),
    lastAgeMs: () => Promise.resolve(Infinity),
  };
  const tracker: Partial<BatchTracker> = {
    observe: ({ batchId }) => Promise.resolve(known[batchId]?.sighting ?? 'settled'),
  };
  const settler = {
    chain: { contract: () => Promise.resolve({ interface: { encodeFunctionData: () => '0x' } }) },
    transactions: {
      latest: (id: string) => {
        const nonce = known[id]?.nonce;
        return Promise.resolve(nonce === undefined ? undefined : { nonce });
      },
    },
    sender: {
      account: { address: '0xa' },
      push: ({ id }: { id: string }, others: StoredTransaction[]) => {
        pushed.push([id, others.map(({ nonce }) => nonce)]);
        return Promise.resolve(known[id]?.reached ?? 'sent');
      },
    },
  } as unknown as Settler;
  const cycle = new SettlementCycle(
    new BillingConfig(),
    { plan } as unknown as BatchPlanner,
    batches as BatchStore,
    tracker as BatchTracker,
  );
  const step = async () => cycle.advance(settler, await cycle.observe());
  return { step, pushed, plan };
}

describe('a step of settlement', () => {
  it('sends nothing, and makes no batch, where the chain has other dues under the id of one', async () => {
    const { step, pushed, plan } = cycleOf({
      one: { sighting: 'absent' },
      other: { sighting: 'conflict' },
      third: { sighting: 'mined' },
    });
    expect(await step()).toEqual({ state: 'conflict' });
    expect(pushed).toEqual([]);
    expect(plan).not.toHaveBeenCalled();
  });

  it('makes no batch while another one is not settled, and one when all are', async () => {
    const mined = cycleOf({ one: { sighting: 'settled' }, other: { sighting: 'mined' } });
    expect(await mined.step()).toEqual({ state: 'in_flight' });
    expect(mined.plan).not.toHaveBeenCalled();
    const settled = cycleOf({ one: { sighting: 'settled' } });
    expect(await settled.step()).toEqual({ state: 'idle' });
    expect(settled.plan).toHaveBeenCalledTimes(1);
  });

  it('plans after a rest from the end of the attempt before, and ever more seldom while something is in the way', async () => {
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { step, plan } = cycleOf({});
    let [endedMs, isHindered] = [0, true];
    const rests: number[] = [];
    plan.mockImplementation(() => {
      rests.push((nowMs - endedMs) / 1_000);
      // As long as it takes with very many receipts.
      endedMs = nowMs += 30_000;
      return isHindered ? Promise.reject(new HinderedError('insufficient_gas')) : Promise.resolve(undefined);
    });
    const untilPlanned = async (times: number) => {
      for (; plan.mock.calls.length < times; nowMs += 1_000) await step().catch(() => undefined);
    };
    await untilPlanned(7);
    expect(await step()).toEqual({ state: 'insufficient_gas' });
    isHindered = false;
    await untilPlanned(9);
    isHindered = true;
    await untilPlanned(11);
    expect(rests).toEqual([0, 5, 10, 20, 40, 60, 60, 60, 5, 5, 5]);
    clock.mockRestore();
  });

  it('sends those that the chain does not show in the order of their nonces, each beside the others', async () => {
    const { step, pushed } = cycleOf({
      later: { sighting: 'absent', nonce: 8 },
      shown: { sighting: 'mined', nonce: 6 },
      first: { sighting: 'absent', nonce: 7 },
    });
    expect(await step()).toEqual({ state: 'in_flight' });
    expect(pushed).toEqual([
      ['first', [8]],
      ['later', [7]],
    ]);
  });

  it('says what is in the way of the first that is not sent, and tries the others all the same', async () => {
    const { step, pushed } = cycleOf({
      one: { sighting: 'absent', nonce: 1 },
      two: { sighting: 'absent', nonce: 2, reached: 'insufficient_gas' },
      three: { sighting: 'absent', nonce: 3, reached: 'fee_above_cap' },
      four: { sighting: 'absent', nonce: 4, reached: 'waiting' },
    });
    expect(await step()).toEqual({ state: 'insufficient_gas' });
    expect(pushed.map(([id]) => id)).toEqual(['one', 'two', 'three', 'four']);
  });
});
