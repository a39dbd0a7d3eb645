import { setTimeout as delay } from 'node:timers/promises';
import { catalogKey } from '@svc/contracts';
import { eventually, PrivateNats } from '@svc/testing';
import type { PlaceOffer } from './offer-places.service';
import { PlacesInstance } from './places-instance.for-spec';

/** Longer than it takes any machine, and than an instance needs to notice that another one died. */
const PATIENCE_MS = 30_000;
/** Shorter than an unused place is kept: until then it comes from its holder only when asked for. */
const SOON_MS = 10_000;

/** What a provider sees: how many requests it has under way, and how many it ever had. */
class Provider {
  inFlight = 0;
  most = 0;
  served = 0;

  async serve(ms: number): Promise<void> {
    this.inFlight++;
    this.most = Math.max(this.most, this.inFlight);
    await delay(ms);
    this.inFlight--;
    this.served++;
  }
}

/** What an instance's buyers got. */
interface Counts {
  served: number;
  refused: number;
}

/** One request after the other at an instance. */
async function buyUntil(
  stopped: () => boolean,
  instance: PlacesInstance,
  offer: PlaceOffer,
  provider: Provider,
  counts: Counts,
): Promise<void> {
  while (!stopped()) {
    const taken =
      instance.places.take(offer) || (await instance.places.wait([offer], PATIENCE_MS)) !== undefined;
    if (!taken) counts.refused++;
    else {
      await provider.serve(Math.random() * 10);
      instance.places.giveBack(offer.offerId);
      counts.served++;
    }
  }
}

describe('places of several instances', () => {
  let nats: PrivateNats;
  let instances: PlacesInstance[];
  let number = 0;

  const start = async (count: number) => {
    for (let each = 0; each < count; each++) instances.push(await PlacesInstance.start(nats));
    return instances;
  };
  const anOffer = (concurrency: number): PlaceOffer => ({ offerId: `offer-${++number}`, concurrency });
  const at = (index: number) => instances[index] as PlacesInstance;

  beforeAll(async () => {
    nats = await PrivateNats.start();
  });
  beforeEach(() => {
    instances = [];
  });
  afterEach(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
  });
  afterAll(() => nats.close());

  it.each([1, 2, 3, 4, 8])(
    'concurrency %d: never more at once than that, as many as that, and everybody gets a share',
    async (concurrency) => {
      await start(3);
      const offer = anOffer(concurrency);
      const provider = new Provider();
      let stopped = false;
      const counts = instances.map((): Counts => ({ served: 0, refused: 0 }));
      const buyers = instances.flatMap((instance, index) =>
        Array.from({ length: Math.max(2, concurrency) }, () =>
          buyUntil(() => stopped, instance, offer, provider, counts[index] as Counts),
        ),
      );
      const fewest = () => Math.min(...counts.map(({ served }) => served));
      // While NATS stands still only those are served who hold places: the shares show over time.
      await eventually(() => provider.served >= 300 && fewest() > provider.served / 12, {
        timeoutMs: 40_000,
      });
      stopped = true;
      await Promise.all(buyers);
      expect(provider.most).toBe(concurrency);
      expect(counts.map(({ refused }) => refused)).toEqual([0, 0, 0]);
    },
  );

  // Instances of two versions keep them together: a bucket of other settings is used by none (`openBucket`).
  it('are kept in a bucket that every version makes and takes', async () => {
    await start(1);
    expect(await at(0).places.wait([anOffer(1)], SOON_MS)).toBeDefined();
    const { connection } = await nats.connectAs('dispatch');
    const { streams } = await connection.jetstreamManager();
    expect((await streams.info('KV_dispatch_places')).config).toMatchObject({
      ...{ max_msgs_per_subject: 1, max_age: 0, max_bytes: -1, storage: 'file', allow_direct: false },
    });
  });

  it('finds a place that another instance does not use at once', async () => {
    await start(2);
    const offer = anOffer(1);
    for (let each = 0; each < 20; each++) {
      const { places } = at(each % 2);
      expect(await places.wait([offer], SOON_MS)).toBe(offer.offerId);
      places.giveBack(offer.offerId);
    }
  });

  it('writes nothing while one instance has the places it needs', async () => {
    await start(1);
    const { places } = at(0);
    const offer = anOffer(8);
    const writes = () => at(0).metric('svc_dispatch_place_writes_total', 'written');
    const load = async () => {
      const taken = await Promise.all(Array.from({ length: 8 }, () => places.wait([offer], PATIENCE_MS)));
      expect(taken).toEqual(Array.from({ length: 8 }, () => offer.offerId));
      for (const offerId of taken) places.giveBack(offerId ?? '');
    };
    await load();
    const before = await writes();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThanOrEqual(5);
    for (let each = 0; each < 100; each++) await load();
    expect(await writes()).toBe(before);
  });

  it('frees what an instance held that died', async () => {
    await start(2);
    const offer = anOffer(3);
    const takesAll = async () => {
      for (let each = 0; each < 3; each++) {
        expect(await at(0).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
      }
    };
    await takesAll();
    expect(await at(1).places.wait([offer], 100)).toBeUndefined();
    await instances.shift()?.die();
    await takesAll();
  });

  it('frees what was held by those who died before this instance came', async () => {
    await start(1);
    const offer = anOffer(1);
    expect(await at(0).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
    await instances.shift()?.die();
    await start(1);
    expect(await at(0).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
  });

  it('frees at once what an instance held that was stopped', async () => {
    await start(2);
    const offer = anOffer(2);
    for (let each = 0; each < 2; each++) await at(0).places.wait([offer], PATIENCE_MS);
    for (let each = 0; each < 2; each++) at(0).places.giveBack(offer.offerId);
    const stopped = at(0).messaging.instanceId;
    await instances.shift()?.stop();
    for (let each = 0; each < 2; each++) {
      expect(await at(0).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
    }
    // It had given them back: nobody had to find out that it was gone.
    expect(at(0).lost).not.toContain(stopped);
  });

  it('keeps to a concurrency that was lowered as places come free', async () => {
    await start(2);
    const offer = anOffer(4);
    for (const index of [0, 1, 0, 1]) await at(index).places.wait([offer], PATIENCE_MS);
    await eventually(() => instances.every(({ keeper }) => keeper.shareOf(offer.offerId).isShared));
    const lowered = { ...offer, concurrency: 1 };
    for (const index of [0, 1, 0]) at(index).places.giveBack(offer.offerId);
    expect(at(0).places.take(lowered) || at(1).places.take(lowered)).toBe(false);
    at(1).places.giveBack(offer.offerId);
    const enough = new AbortController();
    const waiting = [0, 1].map((index) => at(index).places.wait([lowered], PATIENCE_MS, enough.signal));
    expect(await Promise.race(waiting)).toBe(offer.offerId);
    setTimeout(() => enough.abort(), 500);
    const waited = await Promise.all(waiting);
    expect(waited.filter((offerId) => offerId !== undefined)).toHaveLength(1);
  });

  it('goes on with what it holds while NATS is away for a moment, and holds it afterwards', async () => {
    await start(2);
    const offer = anOffer(3);
    expect(await at(0).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
    await eventually(() => at(0).keeper.shareOf(offer.offerId).free > 0 || at(0).places.take(offer));
    const held = at(0).keeper.shareOf(offer.offerId).inUse;
    await nats.stop();
    await nats.startAgain();
    const rest = 3 - held;
    for (let each = 0; each < rest; each++) {
      expect(await at(1).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
    }
    expect(await at(1).places.wait([offer], 500)).toBeUndefined();
    for (let each = 0; each < held; each++) at(0).places.giveBack(offer.offerId);
    expect(await at(1).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
  });

  it('claims anew what it uses when the bucket was lost', async () => {
    await start(2);
    const offer = anOffer(2);
    for (const index of [0, 1]) expect(await at(index).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
    await nats.stop();
    await nats.startAgain({ storageLost: true });
    expect(await at(0).places.wait([offer], 3_000)).toBeUndefined();
    at(1).places.giveBack(offer.offerId);
    expect(await at(0).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
  });

  it('claims anew what it uses when an operator removed the bucket, with NATS there all the time', async () => {
    await start(2);
    const offer = anOffer(3);
    for (const index of [0, 1, 1])
      expect(await at(index).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
    const conflicts = () => at(0).metric('svc_dispatch_place_writes_total', 'conflict');
    const before = await conflicts();
    await nats.removeStream('KV_dispatch_places');
    // The other one has what it needs, and asks for nothing: its places are not there for the taking.
    expect(await at(0).places.wait([offer], 4_000)).toBeUndefined();
    at(1).places.giveBack(offer.offerId);
    expect(await at(0).places.wait([offer], PATIENCE_MS)).toBe(offer.offerId);
    expect(await at(0).places.wait([offer], 500)).toBeUndefined();
    expect((await conflicts()) - before).toBeLessThan(20);
  });

  // JetStream answers wherever it is asked to, also into a bucket that whoever asks may not write.
  it('holds what it held when JetStream was told to write over the key', async () => {
    await start(2);
    const offer = anOffer(4);
    for (const index of [0, 1]) await at(index).places.wait([offer], PATIENCE_MS);
    const shares = instances.map(({ keeper }) => keeper.shareOf(offer.offerId));
    const held = () => shares.map(({ stored }) => Object.fromEntries(stored?.holdings ?? []));
    const before = await eventually(() => {
      expect(held()[0]).toEqual(held()[1]);
      expect(shares.map(({ isShared }) => isShared)).toEqual([true, true]);
      return { held: held(), revision: shares[0]?.stored?.revision ?? 0 };
    });
    const { connection } = await nats.connectAs('gateway');
    connection.publish('$JS.API.INFO', '', { reply: `$KV.dispatch_places.${catalogKey(offer.offerId)}` });
    // That is one revision; what is written over it another.
    await eventually(() => shares.every(({ stored }) => (stored?.revision ?? 0) >= before.revision + 2));
    expect(held()).toEqual(before.held);
    const store = await nats.connectAs('dispatch');
    const bucket = await store.connection.jetstream().views.kv('dispatch_places', { bindOnly: true });
    expect((await bucket.get(catalogKey(offer.offerId)))?.json()).toEqual(before.held[0]);
  });
});
