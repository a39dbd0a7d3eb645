import { BoundedThrottlerStorage } from './bounded-throttler-storage';

function setUp(maxRecords?: number) {
  const clock = { now: 0, nowMs: () => clock.now };
  const storage = new BoundedThrottlerStorage(clock, maxRecords);
  const hit = (key: string, limit = 2) => storage.increment(key, 60_000, limit);
  return { clock, storage, hit };
}

describe('BoundedThrottlerStorage', () => {
  it('counts each key in a window of its own and says when it ends', async () => {
    const { clock, hit } = setUp();
    expect(await hit('a')).toEqual({
      totalHits: 1,
      timeToExpire: 60,
      isBlocked: false,
      timeToBlockExpire: 60,
    });
    clock.now = 30_500;
    expect(await hit('b')).toMatchObject({ totalHits: 1, isBlocked: false });
    expect(await hit('a')).toMatchObject({ totalHits: 2, isBlocked: false });
    expect(await hit('a')).toMatchObject({ totalHits: 3, isBlocked: true, timeToBlockExpire: 30 });
    clock.now = 60_000;
    expect(await hit('a')).toMatchObject({ totalHits: 1, isBlocked: false });
    expect(await hit('b')).toMatchObject({ totalHits: 2 });
  });

  it('takes back what was counted, as far as it still is', async () => {
    const { clock, storage, hit } = setUp();
    for (const key of ['a', 'a', 'a', 'b']) await hit(key);
    storage.takeBack('a');
    storage.takeBack('a');
    expect(await hit('a')).toMatchObject({ totalHits: 2, isBlocked: false });
    clock.now = 60_000;
    await hit('c');
    storage.takeBack('b');
    for (let time = 0; time < 2; time++) storage.takeBack('c');
    expect(await hit('c')).toMatchObject({ totalHits: 1 });
  });

  it('forgets ended windows first, then the oldest, and never holds more than it may', async () => {
    const { clock, storage, hit } = setUp(3);
    for (const key of ['a', 'b', 'c', 'a', 'a', 'd']) await hit(key);
    expect(storage.size).toBe(3);
    // The oldest made room.
    expect(await hit('a')).toMatchObject({ totalHits: 1 });
    for (let index = 0; index < 1_000; index++) await hit(String(index));
    expect(storage.size).toBe(3);
    clock.now = 60_000;
    await hit('z');
    expect(storage.size).toBe(1);
  });
});
