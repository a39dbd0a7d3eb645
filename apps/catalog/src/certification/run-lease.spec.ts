import { RunLease } from './run-lease';

const LEASE_MS = 30_000;

describe('the lease of a run', () => {
  let lease: RunLease;
  let renew: () => Promise<boolean>;

  beforeEach(() => {
    jest.useFakeTimers();
    renew = () => Promise.resolve(true);
    lease = new RunLease(() => renew(), LEASE_MS);
  });
  afterEach(async () => {
    await lease.stop();
    jest.useRealTimers();
  });

  const isLostAfter = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms);
    return lease.signal.aborted;
  };

  it('stands as long as it is renewed', async () => {
    expect(await isLostAfter(10 * LEASE_MS)).toBe(false);
  });

  it('is lost as soon as the run is found to be another process’s', async () => {
    renew = () => Promise.resolve(false);
    expect(await isLostAfter(LEASE_MS / 3 - 1)).toBe(false);
    expect(await isLostAfter(LEASE_MS / 3)).toBe(true);
  });

  it('is lost where the database stays away for longer than it lasts, not before: then others may have the run', async () => {
    await isLostAfter(LEASE_MS);
    renew = () => Promise.reject(new Error('away'));
    expect(await isLostAfter(LEASE_MS - 1_000)).toBe(false);
    expect(await isLostAfter(LEASE_MS)).toBe(true);
  });

  it('stands when the database was away for a moment', async () => {
    renew = () => Promise.reject(new Error('away'));
    await isLostAfter((LEASE_MS * 2) / 3);
    renew = () => Promise.resolve(true);
    expect(await isLostAfter(LEASE_MS)).toBe(false);
    renew = () => Promise.reject(new Error('away'));
    expect(await isLostAfter((LEASE_MS * 2) / 3)).toBe(false);
  });
});
