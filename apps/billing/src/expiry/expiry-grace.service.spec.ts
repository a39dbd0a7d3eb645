import type { Messaging } from '@svc/messaging';
import { Events } from 'nats';
import { BillingConfig } from '../billing.config';
import { Feed } from '../hold-queue/feed.for-spec';
import type { HoldQueueService } from '../hold-queue/hold-queue.service';
import type { LedgerService } from '../ledger/ledger.service';
import { ExpiryGrace } from './expiry-grace.service';

const LEASE_MS = 60_000;

/** Past the grace after its start, with a queue that is drained. */
async function pastStart() {
  const statuses = new Feed<{ type: string }>();
  let databaseIsBack = () => undefined as void;
  const ledger = {
    onConnected: (heard: () => void) => (databaseIsBack = heard),
    ensureConnected: () => Promise.resolve(),
  };
  const queue = { drained: true };
  const grace = new ExpiryGrace(
    Object.assign(new BillingConfig(), { holdLeaseMs: LEASE_MS }),
    { connection: { status: () => statuses } } as unknown as Messaging,
    ledger as unknown as LedgerService,
    queue as HoldQueueService,
  );
  grace.onApplicationBootstrap();
  expect(await grace.isOver()).toBe(false);
  await jest.advanceTimersByTimeAsync(LEASE_MS);
  expect(await grace.isOver()).toBe(true);
  const tell = async (type: string) => {
    statuses.push({ type });
    await jest.advanceTimersByTimeAsync(0);
  };
  return { grace, tell, queue, ledger, databaseIsBack: () => databaseIsBack() };
}

describe('ExpiryGrace', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('does not end while NATS is away, nor within a lease of its return', async () => {
    const { grace, tell } = await pastStart();
    await tell(Events.Disconnect);
    expect(await grace.isOver()).toBe(false);
    await jest.advanceTimersByTimeAsync(10 * LEASE_MS);
    expect(await grace.isOver()).toBe(false);
    await tell(Events.Reconnect);
    await jest.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(await grace.isOver()).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await grace.isOver()).toBe(true);
  });

  it('does not end while NATS is away though the database came back, or the process stood still', async () => {
    const { grace, tell, databaseIsBack } = await pastStart();
    await tell(Events.Disconnect);
    databaseIsBack();
    grace.restart();
    await jest.advanceTimersByTimeAsync(2 * LEASE_MS);
    expect(await grace.isOver()).toBe(false);
  });

  it('does not end within a lease of the return of the database', async () => {
    const { grace, databaseIsBack } = await pastStart();
    databaseIsBack();
    await jest.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(await grace.isOver()).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await grace.isOver()).toBe(true);
  });

  it('does not end when it is found only now that the database was away, nor while it is', async () => {
    const { grace, ledger, databaseIsBack } = await pastStart();
    ledger.ensureConnected = () => Promise.reject(new Error('away'));
    await expect(grace.isOver()).rejects.toThrow('away');
    ledger.ensureConnected = () => Promise.resolve().then(databaseIsBack);
    expect(await grace.isOver()).toBe(false);
  });

  it('does not end before the settlements that wait are applied', async () => {
    const { grace, queue } = await pastStart();
    queue.drained = false;
    expect(await grace.isOver()).toBe(false);
  });
});
