import { SETTLEMENT_QUEUE } from '@svc/contracts';
import type { ReleaseHoldRequest } from '@svc/contracts';
import type { DurablePublisher } from '@svc/messaging';
import type { Logger } from '@svc/observability';
import { HoldRelease } from './hold-release';

describe('HoldRelease', () => {
  it('has a posted charge stand for who may repeat the request, and be refunded otherwise; says what the client was told', () => {
    const said: unknown[][] = [];
    const publisher: Partial<DurablePublisher<ReleaseHoldRequest>> = {
      publish: (...message) => {
        said.push(message);
        return Promise.resolve();
      },
    };
    const logger: Partial<Logger> = { warn: () => undefined };
    const holds = new HoldRelease(publisher as DurablePublisher<ReleaseHoldRequest>, logger as Logger);
    const hold = { holdId: 'req_1', wallet: `0x${'a'.repeat(40)}` };
    holds.letGo(hold, { idempotent: true, reason: 'lost', code: 'no_capacity' });
    holds.letGo(hold, { idempotent: false, reason: 'shutdown' });
    const subject = SETTLEMENT_QUEUE.releaseSubject;
    const standing = { ...hold, outcome: 'void', reason: 'lost', failure: { code: 'no_capacity' } };
    expect(said).toEqual([
      [subject, 'req_1:void', standing],
      [subject, 'req_1:abandon', { ...hold, outcome: 'abandon', reason: 'shutdown' }],
    ]);
  });

  it('names at the end what the queue never took', async () => {
    jest.useFakeTimers();
    try {
      const lost: object[] = [];
      const logger = { warn: () => undefined, error: (fields: object) => lost.push(fields) };
      const never = new Promise<void>(() => undefined);
      const pending = new Set<ReleaseHoldRequest>();
      const publish = (_subject: string, _id: string, request: ReleaseHoldRequest) => {
        pending.add(request);
        return never;
      };
      const publisher = { publish, pending, drain: () => never };
      const holds = new HoldRelease(
        publisher as unknown as DurablePublisher<ReleaseHoldRequest>,
        logger as unknown as Logger,
      );
      const wallet = `0x${'a'.repeat(40)}`;
      holds.abandon({ holdId: 'req_1', wallet }, 'lost');
      holds.letGo({ holdId: 'req_2', wallet }, { idempotent: true, reason: 'lost' });
      expect(holds.pending).toBe(2);
      for (const request of pending) if (request.holdId === 'req_1') pending.delete(request);
      const stopped = holds.onApplicationShutdown();
      await jest.advanceTimersByTimeAsync(2_000);
      await stopped;
      expect(lost).toEqual([{ requestId: 'req_2', outcome: 'void' }]);
    } finally {
      jest.useRealTimers();
    }
  });
});
