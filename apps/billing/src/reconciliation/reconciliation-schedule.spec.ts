import { createLogger } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import { DueComparison } from './due-comparison';
import type { FullComparisonTurn } from './full-comparison-turn';
import { ReconciliationSchedule } from './reconciliation-schedule';
import type { ReconciliationService } from './reconciliation.service';
import type { ReconciliationKind, ReconciliationStore } from './reconciliation.store';

const MINUTE_MS = 60_000;

/** A schedule over comparisons of which the full one is as given; tells which ones were begun. */
function scheduleWith(full: () => Promise<void>) {
  const begun: ReconciliationKind[] = [];
  const finishedMs = new Map<ReconciliationKind, number>();
  const store = {
    last: (kind: ReconciliationKind) => {
      const ms = finishedMs.get(kind);
      return Promise.resolve(
        ms === undefined ? undefined : { ageMs: performance.now() - ms, differences: 0 },
      );
    },
  };
  const service = {
    reconcile: async (kind: ReconciliationKind) => {
      begun.push(kind);
      if (kind === 'full') await full();
      finishedMs.set(kind, performance.now());
    },
    found: () => undefined,
    awaited: () => undefined,
  };
  const schedule = new ReconciliationSchedule(
    Object.assign(new BillingConfig(), { reconciliationIntervalMs: MINUTE_MS }),
    createLogger('test', 'silent'),
    store as unknown as ReconciliationStore,
    new DueComparison(
      store as unknown as ReconciliationStore,
      service as unknown as ReconciliationService,
      { take: (work: () => Promise<void>) => work() } as unknown as FullComparisonTurn,
    ),
    new Rests(),
  );
  const begunOf = (wanted: ReconciliationKind) => begun.filter((kind) => kind === wanted).length;
  return { schedule, begunOf };
}

describe('ReconciliationSchedule', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('has the cheap figures compared every minute while a full comparison goes on', async () => {
    let end = () => undefined as void;
    const { schedule, begunOf } = scheduleWith(() => new Promise((resolve) => (end = resolve)));
    schedule.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(begunOf('full')).toBe(1);
    expect(begunOf('incremental')).toBe(10);
    end();
    await schedule.onModuleDestroy();
  });

  it('has them compared though no full comparison comes to its end', async () => {
    const { schedule, begunOf } = scheduleWith(() => Promise.reject(new Error('statement timeout')));
    schedule.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(begunOf('incremental')).toBe(10);
    await schedule.onModuleDestroy();
  });

  it('has everything compared once a day', async () => {
    const { schedule, begunOf } = scheduleWith(() => Promise.resolve());
    schedule.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(24 * 60 * MINUTE_MS);
    expect(begunOf('full')).toBe(1);
    await jest.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect(begunOf('full')).toBe(2);
    await schedule.onModuleDestroy();
  });
});
