import type { Messaging } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import type { DatabaseWatch } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { ConsumerEvents, Events } from 'nats';
import { FORGOTTEN_AFTER_MS } from './deferred-resolution.handler';
import type { DeferredResolutionHandler } from './deferred-resolution.handler';
import { Feed } from './feed.for-spec';
import { HoldQueueService } from './hold-queue.service';

/** A consumption that, like the library's, does not go on by itself for a long time after the connection was lost. */
class FakeConsumption extends Feed<object> {
  readonly events = new Feed<{ type: string }>();

  status(): Promise<Feed<{ type: string }>> {
    return Promise.resolve(this.events);
  }
}

interface DatabaseFollower {
  onAway(reason: Error): void;
  onBack(): void;
}

/** @param failures how often the stream cannot be opened at first */
function setUp(failures = 0) {
  const opened: FakeConsumption[] = [];
  const handled: object[] = [];
  const connectionEvents = new Feed<{ type: string }>();
  const counts = { unacknowledged: 0, putBack: 0, asked: 0, tried: 0 };
  const consumer = {
    consume: () => {
      const consumption = new FakeConsumption();
      opened.push(consumption);
      return Promise.resolve(consumption);
    },
    info: () => {
      counts.asked++;
      return Promise.resolve({ num_pending: 0, num_ack_pending: counts.unacknowledged });
    },
  };
  const database: DatabaseFollower = { onAway: () => undefined, onBack: () => undefined };
  const none = () => Promise.resolve({});
  const connection = {
    status: () => connectionEvents,
    jetstreamManager: () =>
      ++counts.tried > failures
        ? Promise.resolve({ streams: { add: none }, consumers: { info: none, update: none } })
        : Promise.reject(new Error('no answer')),
    jetstream: () => ({ consumers: { get: () => Promise.resolve(consumer) } }),
  };
  const queue = new HoldQueueService(
    { connection } as unknown as Messaging,
    createLogger('test', 'silent'),
    {
      get putBack() {
        return counts.putBack;
      },
      forgetPutBack: () => (counts.putBack = 0),
      handle: (message: object) => Promise.resolve(void handled.push(message)),
    } as unknown as DeferredResolutionHandler,
    {
      follow: (follower: DatabaseFollower) => Object.assign(database, follower),
    } as unknown as DatabaseWatch,
  );
  queue.onApplicationBootstrap();
  const stop = async () => {
    await queue.onModuleDestroy();
    await queue.onApplicationShutdown();
  };
  return { opened, handled, connectionEvents, counts, database, queue, stop };
}

/** One that was drained, lost NATS, and has looked at the queue again, where this is what it found. */
async function consumedAnew(
  found: { unacknowledged: number; putBack?: number },
  events: readonly Events[] = [Events.Reconnect],
) {
  const parts = setUp();
  await eventually(() => parts.queue.drained);
  Object.assign(parts.counts, found, { asked: 0 });
  for (const type of events) parts.connectionEvents.push({ type });
  await eventually(() => parts.opened.length === 2 && parts.counts.asked >= 2);
  return parts;
}

describe('HoldQueueService', () => {
  it.each<[string, (parts: ReturnType<typeof setUp>) => void]>([
    ['NATS is back', ({ connectionEvents }) => connectionEvents.push({ type: Events.Reconnect })],
    [
      'heartbeats are missed',
      ({ opened }) => opened[0]?.events.push({ type: ConsumerEvents.HeartbeatsMissed }),
    ],
  ])('consumes anew at once when %s, and loses nothing that came before', async (_, happen) => {
    const parts = setUp();
    const { opened, handled, queue, stop } = parts;
    await eventually(() => queue.drained);
    const before = { before: true };
    opened[0]?.push(before);
    happen(parts);
    // Nothing in here opens another by itself, however long it is waited for.
    await eventually(() => opened.length === 2);
    expect(opened[0]?.closed).toBe(true);
    const after = { after: true };
    opened[1]?.push(after);
    await eventually(() => handled.length === 2);
    expect(handled).toEqual([before, after]);
    await stop();
    expect(opened).toHaveLength(2);
  });

  it('is not drained after NATS was away before what waited meanwhile is applied', async () => {
    const { counts, queue, stop } = await consumedAnew({ unacknowledged: 1 });
    expect(queue.drained).toBe(false);
    counts.unacknowledged = 0;
    await eventually(() => queue.drained);
    await stop();
  });

  it('is drained once all that waited has come again, also where other instances put some of it back', async () => {
    const { counts, queue, stop } = await consumedAnew({ unacknowledged: 2 });
    counts.putBack = 1;
    const realNow = performance.now.bind(performance);
    let passedMs = FORGOTTEN_AFTER_MS / 2;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
    counts.asked = 0;
    await eventually(() => counts.asked >= 2);
    expect(queue.drained).toBe(false);
    passedMs = FORGOTTEN_AFTER_MS;
    await eventually(() => queue.drained);
    clock.mockRestore();
    await stop();
  });

  it('does not take what another instance has under way for what it put back itself before it consumed anew', async () => {
    const { counts, queue, stop } = await consumedAnew({ putBack: 1, unacknowledged: 1 }, [
      Events.Disconnect,
      Events.Reconnect,
    ]);
    expect(queue.drained).toBe(false);
    counts.unacknowledged = 0;
    await eventually(() => queue.drained);
    await stop();
  });

  it('takes nothing while the database is away, whatever NATS does, and goes on when it is back', async () => {
    const { opened, connectionEvents, counts, database, queue, stop } = setUp();
    await eventually(() => queue.drained);
    database.onAway(new Error('gone'));
    await eventually(() => opened[0]?.closed === true && !queue.drained);
    connectionEvents.push({ type: Events.Reconnect });
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened).toHaveLength(1);
    counts.unacknowledged = 1;
    database.onBack();
    await eventually(() => opened.length === 2);
    expect(queue.drained).toBe(false);
    counts.unacknowledged = 0;
    await eventually(() => queue.drained);
    await stop();
  });

  it('tries again in a while, and not at once, when the queue cannot be opened', async () => {
    const { counts, queue, stop } = setUp(1);
    await eventually(() => counts.tried > 0);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([counts.tried, queue.readiness.check()]).toEqual([1, { up: false }]);
    await eventually(() => queue.drained);
    expect([counts.tried, queue.readiness.check()]).toEqual([2, { up: true }]);
    await stop();
  });

  it('ends when the database is found away only after it was told to', async () => {
    const { opened, database, queue } = setUp();
    await eventually(() => queue.drained);
    const left = queue.onModuleDestroy();
    database.onAway(new Error('gone'));
    await left;
    await queue.onApplicationShutdown();
    expect(opened).toHaveLength(1);
  });

  it('ends while the database is away', async () => {
    const { opened, database, queue, stop } = setUp();
    await eventually(() => queue.drained);
    database.onAway(new Error('gone'));
    await stop();
    expect(opened).toHaveLength(1);
  });
});
