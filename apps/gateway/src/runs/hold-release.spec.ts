import type { DurablePublisher } from '@svc/messaging';
import type { Logger } from '@svc/observability';
import { HoldRelease } from './hold-release';

describe('HoldRelease', () => {
  it('counts what the queue has not taken yet, and names at the end what it never took', async () => {
    jest.useFakeTimers();
    try {
      const lost: object[] = [];
      const logger = { warn: () => undefined, error: (fields: object) => lost.push(fields) };
      let take: () => void = () => undefined;
      const taken = new Promise<void>((resolve) => (take = resolve));
      const never = new Promise<void>(() => undefined);
      const answers = [taken, never];
      const publisher = { publish: () => answers.shift(), drain: () => never };
      const holds = new HoldRelease(publisher as unknown as DurablePublisher, logger as unknown as Logger);
      const wallet = `0x${'a'.repeat(40)}`;
      holds.abandon({ holdId: 'req_1', wallet }, 'lost');
      holds.letGo({ holdId: 'req_2', wallet }, true, 'lost');
      expect(holds.pending).toBe(2);
      take();
      await jest.advanceTimersByTimeAsync(0);
      expect(holds.pending).toBe(1);
      const stopped = holds.onApplicationShutdown();
      await jest.advanceTimersByTimeAsync(2_000);
      await stopped;
      expect(lost).toEqual([{ requestId: 'req_2', outcome: 'void' }]);
    } finally {
      jest.useRealTimers();
    }
  });
});
