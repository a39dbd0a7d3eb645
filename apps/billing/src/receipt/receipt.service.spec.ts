import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@svc/observability';
import type { KeyService } from '../key/key.service';
import type { BatchProofStore } from './batch-proof.store';
import type { ProjectionMetrics } from './projection.metrics';
import { ProjectionService } from './projection.service';
import type { ProjectionStore } from './projection.store';
import type { ReceiptProofs } from './receipt-proofs';
import { ReceiptService } from './receipt.service';
import type { ReceiptStore } from './receipt.store';

const WALLET = `0x${'1'.repeat(40)}`;

it('says in time that a receipt is being made, however many are to be made before it', async () => {
  const metrics = { records: { inc: () => undefined } } as unknown as ProjectionMetrics;
  let pieces = 0;
  const endless = { run: (_name: string, most: number) => delay(1, (pieces++, most)) };
  const projection = new ProjectionService(
    endless as unknown as ProjectionStore,
    metrics,
    createLogger('spec', 'silent'),
  );
  const receipts = new ReceiptService(
    {} as KeyService,
    { find: () => Promise.resolve(undefined) } as unknown as ReceiptStore,
    {} as ReceiptProofs,
    { isDue: () => Promise.resolve(true) } as unknown as BatchProofStore,
    projection,
  );
  await expect(receipts.show({ wallet: WALLET, requestId: 'req_1' })).rejects.toMatchObject({
    code: 'no_capacity',
  });
  const before = pieces;
  await delay(50);
  expect(pieces).toBe(before);
});
