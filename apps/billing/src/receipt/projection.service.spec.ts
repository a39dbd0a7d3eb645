import { setTimeout as delay } from 'node:timers/promises';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import { ProjectionMetrics } from './projection.metrics';
import { ProjectionService } from './projection.service';
import type { ProjectionStore } from './projection.store';

const PIECE_MS = 20;
const refusal = new Error('a row that the database does not take');

/** Statements of which so many wait, the oldest for so long; a snapshot that stays open would keep them from being read. */
function statements(waiting: number, seconds: number, { isReadable = true, isRefused = false } = {}) {
  const state = { waiting, pieces: 0, busyMs: 0 };
  const store = {
    run: async (_name: string, most: number) => {
      const startedMs = performance.now();
      await delay(PIECE_MS);
      if (isRefused) throw refusal;
      const read = isReadable ? Math.min(most, state.waiting) : 0;
      state.waiting -= read;
      state.pieces++;
      state.busyMs += performance.now() - startedMs;
      return read;
    },
    lag: () =>
      Promise.resolve([{ name: 'statements', rows: state.waiting, seconds: state.waiting && seconds }]),
  };
  const registry = createMetricsRegistry('spec');
  const metrics = new ProjectionMetrics(registry);
  /** Of the records read, those that wait, and for how long. */
  const told = async () => {
    const lines = (await registry.metrics()).matchAll(
      /^svc_billing_project\w+\{[^}]*"statements"[^}]*\} (\d+)$/gm,
    );
    return Array.from(lines, ([, value]) => Number(value));
  };
  const service = new ProjectionService(
    store as unknown as ProjectionStore,
    metrics,
    createLogger('spec', 'silent'),
  );
  return { state, service, told };
}

describe('a projection', () => {
  it('that is a little behind leaves most of the time to the ledger', async () => {
    const { state, service } = statements(10_000, 29);
    await service.tick();
    expect(state.waiting).toBeGreaterThan(0);
  });

  it('that is far behind works on without rests until it is not', async () => {
    const { state, service, told } = statements(10_000, 31);
    const startedMs = performance.now();
    await service.tick();
    expect(state.waiting).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(2 * state.busyMs);
    expect(await told()).toEqual([10_000, 0, 0]);
  });

  it('that is far behind and may not read yet tries again an interval later', async () => {
    const { state, service, told } = statements(10_000, 31, { isReadable: false });
    await service.tick();
    expect(state.pieces).toBe(1);
    expect(await told()).toEqual([0, 10_000, 31]);
  });

  it('that fails each time shows how far it is behind', async () => {
    const { service, told } = statements(10, 31, { isRefused: true });
    await expect(service.tick()).rejects.toBe(refusal);
    expect(await told()).toEqual([10, 31]);
  });

  it('that fails keeps no other waiting', async () => {
    const run = jest.fn((name: string) =>
      name === 'receipts' ? Promise.reject(refusal) : Promise.resolve(0),
    );
    const lags = ['receipts', 'statements'].map((name) => ({ name, rows: 1, seconds: 1 }));
    const store = { run, lag: () => Promise.resolve(lags) };
    const service = new ProjectionService(
      store as unknown as ProjectionStore,
      new ProjectionMetrics(createMetricsRegistry('spec')),
      createLogger('spec', 'silent'),
    );
    await expect(service.tick()).rejects.toBe(refusal);
    expect(run.mock.calls.map(([name]) => name)).toEqual(['receipts', 'statements']);
  });

  it('that has read all is not run', async () => {
    const { state, service } = statements(0, 0);
    await service.tick();
    expect(state.pieces).toBe(0);
  });

  it('that is far behind leaves the rest to the next start when the process ends', async () => {
    const { state, service } = statements(10_000, 31);
    const ticking = service.tick();
    await service.onApplicationShutdown();
    await ticking;
    expect(state.pieces).toBe(1);
    expect(await service.project('statements')).toBe(false);
    expect(state.pieces).toBe(2);
  });

  it('says whether all was read in the time there was, resting meanwhile', async () => {
    const { state, service } = statements(1_000, 31);
    // Time for a piece and less than its rest, with room for a timer that is early.
    const deadlineMs = performance.now() + 2 * PIECE_MS;
    expect(await service.project('statements', { deadlineMs, rests: true })).toBe(false);
    expect(state.pieces).toBe(1);
    expect(state.waiting).toBeGreaterThan(0);
    expect(await service.project('statements')).toBe(true);
    expect(state.waiting).toBe(0);
    // The last was not full: there is no more to ask for.
    expect(state.pieces).toBe(3);
  });
});
