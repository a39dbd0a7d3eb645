import { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import type { ProjectionService } from '../receipt/projection.service';
import type { ReceiptStore } from '../receipt/receipt.store';
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
