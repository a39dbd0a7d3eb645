import { PrivateNats } from '@svc/testing';
import type { Messaging } from '@svc/messaging';
import { ViewBuckets } from './view-buckets.store';

describe('what is left in a bucket of what was removed', () => {
  let nats: PrivateNats;
  let messaging: Messaging;
  let buckets: ViewBuckets;

  beforeAll(async () => {
    nats = await PrivateNats.start();
    messaging = await nats.connectAs('catalog');
    buckets = new ViewBuckets(messaging);
  });
  afterAll(() => nats.close());

  const contentOf = (...keys: string[]) => new Map(keys.map((key) => [key, `{"of":"${key}"}`]));
  /** It holds these already. */
  const readWhole = async (...keys: string[]) => {
    const replaced = await buckets.replace('offers', contentOf(...keys), { fromScratch: true });
    expect(replaced).toEqual({ put: 0, deleted: 0 });
  };
  /** Entries and marks. */
  const kept = async () => {
    const manager = await messaging.connection.jetstreamManager({ checkAPI: false });
    return (await manager.streams.info('KV_catalog_offers')).state.messages;
  };

  it('is a mark for those who look again soon, and nothing later', async () => {
    await buckets.replace('offers', contentOf('a', 'b', 'c'));
    await buckets.replace('offers', contentOf('a'));
    await readWhole('a');
    expect(await buckets.removeMarks('offers')).toBe(0);
    expect(await kept()).toBe(3);
    await readWhole('a');
    expect(await buckets.removeMarks('offers', 0)).toBe(2);
    expect(await kept()).toBe(1);
    // What is put again is there, and only what differs is written.
    expect(await buckets.replace('offers', contentOf('a', 'b'))).toEqual({ put: 1, deleted: 0 });
    await readWhole('a', 'b');
    expect(await buckets.removeMarks('offers', 0)).toBe(0);
    expect(await kept()).toBe(2);
  });

  it('does not take with it what was put in its place meanwhile', async () => {
    await buckets.replace('offers', contentOf('a'));
    await readWhole('a');
    await new ViewBuckets(messaging).replace('offers', contentOf('a', 'b'));
    expect(await buckets.removeMarks('offers', 0)).toBe(0);
    await readWhole('a', 'b');
  });

  it('is all that was there: the next view is written as ever', async () => {
    await buckets.replace('offers', contentOf());
    await readWhole();
    expect(await buckets.removeMarks('offers', 0)).toBe(2);
    expect(await kept()).toBe(0);
    await readWhole();
    expect(await new ViewBuckets(messaging).replace('offers', contentOf('d'))).toEqual({
      put: 1,
      deleted: 0,
    });
    expect(await buckets.replace('offers', contentOf('d'))).toEqual({ put: 0, deleted: 0 });
  });
});
