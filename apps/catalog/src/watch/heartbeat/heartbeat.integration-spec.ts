import { eventually } from '@svc/testing';
import { AuditStore } from '../../audit/audit.store';
import { HealthSuspensionStore } from '../health/health-suspension.store';
import { UNWATCHED } from '../watch-codes';
import { WatchedMarket, metricOf, published } from '../watched-market.for-spec';
import { DueHeartbeatsStore } from './due-heartbeats.store';
import { HeartbeatStore } from './heartbeat.store';
import { SilentProviders } from './silent-providers';

const HEARTBEAT_MS = 300;
const MINUTE_MS = 60_000;
const HEARTBEATS = 'svc_catalog_heartbeats_total';

let market: WatchedMarket;

beforeEach(async () => {
  market = await WatchedMarket.open();
});

afterEach(async () => {
  await market.close();
});

describe('heartbeats', () => {
  it('take an offer off the market after three misses in a row, and one answer brings it back', async () => {
    await market.addOffers({ id: 'gone' }, { id: 'there' });
    market.silent.add('gone');
    const before = published.times;
    await market.startCatalog({ heartbeatMs: HEARTBEAT_MS });
    const suspended = await market.untilWatched('gone', 'no_heartbeat');
    expect(suspended.watchReason).toBe(
      'The endpoint did not answer 3 heartbeats in a row as it should (the last: connect failed).',
    );
    expect(market.pingsOf('gone').length).toBeGreaterThanOrEqual(3);
    expect(suspended.lastSeenAt).toBeNull();
    await eventually(() => published.times > before);
    market.silent.delete('gone');
    const back = await market.untilWatched('gone', null);
    expect(back).toMatchObject({ missedHeartbeats: 0, watchReason: null, watchSince: null });
    expect(back.lastSeenAt).not.toBeNull();
    expect(await market.trail('gone')).toEqual([
      `catalog offer.suspended no_heartbeat: ${suspended.watchReason}`,
      'catalog offer.reinstated the endpoint answers again',
    ]);
    expect(await market.offer('there')).toMatchObject({ watchCode: null, missedHeartbeats: 0 });
    expect(await market.trail('there')).toEqual([]);
  });

  it('hold nothing against an offer that could not be asked', async () => {
    await market.addOffers({ id: 'a' });
    await market.stopDispatch();
    const catalog = await market.startCatalog({ heartbeatMs: HEARTBEAT_MS });
    await eventually(async () => (await metricOf(catalog, HEARTBEATS, 'unknown')) >= 4);
    expect(await market.offer('a')).toMatchObject({ missedHeartbeats: 0, watchCode: null });
    market.startDispatch('refuses');
    const before = await metricOf(catalog, HEARTBEATS, 'unknown');
    await eventually(async () => (await metricOf(catalog, HEARTBEATS, 'unknown')) >= before + 4);
    expect(await market.offer('a')).toMatchObject({ missedHeartbeats: 0, watchCode: null, lastSeenAt: null });
    await market.stopDispatch();
    market.startDispatch();
    await eventually(async () => (await market.offer('a')).lastSeenAt !== null);
  });

  it('hold nothing against providers that all fall silent at once: the fault is ours', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    await market.addOffers(...ids.map((id) => ({ id, provider: `0x${id.repeat(40)}` })));
    // The doubt lasts for a few intervals: long enough for a machine that stands still to look meanwhile.
    const catalog = await market.startCatalog({ heartbeatMs: 3_000 });
    await eventually(async () => (await metricOf(catalog, HEARTBEATS, 'answered')) >= ids.length);
    const before = await metricOf(catalog, HEARTBEATS, 'unknown');
    for (const id of ids) market.silent.add(id);
    await eventually(async () => (await metricOf(catalog, HEARTBEATS, 'unknown')) >= before + ids.length);
    const { _max } = await market.prisma.offer.aggregate({ _max: { missedHeartbeats: true } });
    expect(_max.missedHeartbeats).toBeLessThan(3);
    // So certifications know it too, but for moments in which the next answers are late.
    await eventually(() => catalog.app.get(SilentProviders).areNearlyAllSilent(performance.now()));
    // All but one are back: it is that one's fault.
    for (const id of ids) if (id !== 'a') market.silent.delete(id);
    await market.untilWatched('a', 'no_heartbeat');
    // One that was given up says nothing of the others.
    for (const id of ids) market.silent.delete(id);
    await market.untilWatched('a', null);
    expect((await market.offer('b')).watchCode).toBeNull();
  });

  it('hold nothing against an offer whose credential cannot be read any more, or for whom there is no room', async () => {
    await market.addOffers({ id: 'a' });
    const catalog = await market.startCatalog({ heartbeatMs: HEARTBEAT_MS });
    for (const reason of ['credential_unreadable', 'crowded_out']) {
      market.silentFor = reason;
      market.silent.add('a');
      const before = await metricOf(catalog, HEARTBEATS, 'unknown');
      await eventually(async () => (await metricOf(catalog, HEARTBEATS, 'unknown')) >= before + 4);
      expect(await market.offer('a')).toMatchObject({ missedHeartbeats: 0, watchCode: null });
    }
  });

  it('are answered by whoever writes a long reply, and by nobody who only holds it open', async () => {
    await market.addOffers({ id: 'writes' }, { id: 'hangs' });
    for (const id of ['writes', 'hangs']) market.silent.add(id);
    await market.startCatalog({ heartbeatMs: 1_000 });
    const traffic = setInterval(() => {
      market.tell('writes', { inFlight: 1, progressed: true });
      market.tell('hangs', { inFlight: 1 });
    }, 100);
    try {
      await market.untilWatched('hangs', 'no_heartbeat');
      expect((await market.offer('writes')).watchCode).toBeNull();
      // It may be asked before any traffic was heard of, or when the machine stood still; nothing but traffic answers for it.
      await eventually(async () => (await market.offer('writes')).missedHeartbeats === 0);
    } finally {
      clearInterval(traffic);
    }
  });

  it('leave alone what something else stands against', async () => {
    await market.addOffers(
      { id: 'drifted', missedHeartbeats: 3 },
      { id: 'operators' },
      { id: 'over', expiresInMs: 0 },
    );
    const watchSince = new Date(Date.now() - 5 * MINUTE_MS);
    const retryAt = new Date(Date.now() + 8 * MINUTE_MS);
    await market.prisma.offer.update({
      where: { id: 'drifted' },
      data: { watchCode: 'drift', watchReason: 'x', watchSince, nextCanaryAt: retryAt, retryAt, retries: 4 },
    });
    await market.prisma.offer.update({
      where: { id: 'operators' },
      data: { suspendedAt: new Date(), suspensionReason: 'fraud' },
    });
    const catalog = await market.startCatalog({ heartbeatMs: HEARTBEAT_MS });
    await eventually(async () => (await metricOf(catalog, 'svc_catalog_suspended_offers', 'operator')) === 1);
    expect(await metricOf(catalog, 'svc_catalog_suspended_offers', 'drift')).toBe(1);
    await eventually(() => market.pingsOf('drifted').length >= 3);
    const drifted = await eventually(async () => {
      const offer = await market.offer('drifted');
      return offer.missedHeartbeats === 0 && offer;
    });
    expect(drifted).toMatchObject({ watchCode: 'drift', watchSince, retries: 4 });
    // It had been gone: a canary looks at it at once, though those that failed since had put the next one off.
    expect(drifted.retryAt?.getTime()).toBeLessThanOrEqual(Date.now());
    await market.untilCanary('drifted');
    expect(await market.offer('operators')).toMatchObject({ suspensionReason: 'fraud', lastSeenAt: null });
    expect([market.pingsOf('operators'), market.pingsOf('over')]).toEqual([[], []]);
  });

  it('that come late say nothing of an offer that was withdrawn meanwhile', async () => {
    await market.addOffers({ id: 'withdrawn', missedHeartbeats: 2 });
    await market.prisma.offer.update({ where: { id: 'withdrawn' }, data: { withdrawnAt: new Date() } });
    const store = new HeartbeatStore(market.prisma, new AuditStore(market.prisma));
    expect(await store.record([{ offerId: 'withdrawn', version: 1, answered: false }])).toEqual([]);
    expect(await market.offer('withdrawn')).toMatchObject({ watchCode: null, missedHeartbeats: 2 });
    expect(await market.trail('withdrawn')).toEqual([]);
  });

  it('ask offers that share an endpoint once', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `o${index}`);
    await market.addOffers(...ids.map((id) => ({ id, endpoint: 'shared' })));
    const startedMs = performance.now();
    await market.startCatalog({ heartbeatMs: HEARTBEAT_MS });
    await eventually(() => market.pingsOf('shared').length >= 8);
    expectOncePerInterval(market.pingsOf('shared'), startedMs, HEARTBEAT_MS);
    const offers = await market.prisma.offer.findMany({ where: { id: { in: ids } } });
    expect(offers.every(({ lastSeenAt }) => lastSeenAt !== null)).toBe(true);
  });

  it('are not asked for while real requests succeed, which count as answers', async () => {
    await market.addOffers({ id: 'busy' });
    // Far longer than traffic is apart, also where the machine stands still between.
    const catalog = await market.startCatalog({ heartbeatMs: 4_000 });
    const traffic = setInterval(() => market.tell('busy', { succeeded: 1 }), 100);
    try {
      await eventually(async () => (await metricOf(catalog, HEARTBEATS, 'traffic')) >= 2);
    } finally {
      clearInterval(traffic);
    }
    // The first may have been asked for before any traffic was heard of.
    expect(market.pingsOf('busy').length).toBeLessThanOrEqual(1);
    expect((await market.offer('busy')).lastSeenAt).not.toBeNull();
  });
});

describe('several instances', () => {
  it('share the work: every endpoint is asked once in a round, by either', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `o${index}`);
    await market.addOffers(...ids.map((id) => ({ id })));
    const heartbeatMs = 500;
    const startedMs = performance.now();
    const one = await market.startCatalog({ heartbeatMs });
    const two = await market.startCatalog({ heartbeatMs });
    await eventually(() => ids.every((id) => market.pingsOf(id).length >= 8));
    for (const id of ids) expectOncePerInterval(market.pingsOf(id), startedMs, heartbeatMs);
    // One of them may have been there for some rounds before the other.
    for (const catalog of [one, two]) {
      await eventually(async () => (await metricOf(catalog, HEARTBEATS, 'answered')) > 20);
    }
    // One that stops leaves its share to the other.
    await market.stop(one);
    market.pings.length = 0;
    await eventually(() => ids.every((id) => market.pingsOf(id).length >= 2));
  });

  it('shorten no pause of whoever was caught, however long it was away', async () => {
    await market.addOffers({ id: 'caught' });
    const { prisma } = market;
    const health = new HealthSuspensionStore(prisma, new AuditStore(prisma));
    // It has passed a canary each time, and gone on as before.
    for (let time = 0; time < 4; time++) {
      expect(await health.suspend('caught', { code: 'usage_inflated', reason: 'x' })).toBe(true);
      if (time < 3) await prisma.offer.update({ where: { id: 'caught' }, data: UNWATCHED });
    }
    const pause = await market.offer('caught');
    expect(Number(pause.retryAt) - Number(pause.watchSince)).toBe(8 * MINUTE_MS);
    await prisma.offer.update({ where: { id: 'caught' }, data: { missedHeartbeats: 3 } });
    await market.startCatalog({ heartbeatMs: HEARTBEAT_MS });
    const back = await eventually(async () => {
      const offer = await market.offer('caught');
      return offer.missedHeartbeats === 0 && offer;
    });
    const { watchCode, watchSince, retryAt, nextCanaryAt, retries } = pause;
    expect(back).toMatchObject({ watchCode, watchSince, retryAt, nextCanaryAt, retries });
  });

  it('go on after the database’s clock was set back', async () => {
    await market.addOffers({ id: 'a' }, { id: 'b' }, { id: 'c' });
    const store = new DueHeartbeatsStore(market.prisma, {
      heartbeatMs: 1_000,
      canaryMs: 1_000,
      certificationTtlMs: 1_000,
    });
    const plan = (id: string, inMs: number) =>
      market.prisma.offer.update({ where: { id }, data: { nextHeartbeatAt: new Date(Date.now() + inMs) } });
    await plan('a', 86_400_000);
    await plan('b', 10_000);
    expect((await store.claim(10)).map(({ id }) => id).sort()).toEqual(['a', 'c']);
    expect(await store.claim(10)).toEqual([]);
  });

  it('leave nothing stuck when one is gone with what it took', async () => {
    await market.addOffers({ id: 'a' }, { id: 'b', missedHeartbeats: 35 }, { id: 'over', expiresInMs: 0 });
    // Long enough for nothing to be due again before it is looked at.
    const heartbeatMs = 60_000;
    const settings = { heartbeatMs, canaryMs: 1_000, certificationTtlMs: 1_000 };
    const gone = new DueHeartbeatsStore(market.prisma, settings);
    const beforeMs = Date.now();
    const taken = await gone.claim(10);
    const afterMs = Date.now();
    expect(taken).toMatchObject([
      { id: 'a', sound: true, asked: true },
      { id: 'b', sound: false, asked: true },
      { id: 'over', asked: false },
    ]);
    expect(await gone.claim(10)).toEqual([]);
    // An endpoint that has been silent for long is asked less often, and so is what is looked at in vain.
    for (const [id, intervals] of [
      ['a', 1],
      ['b', 4],
      ['over', 10],
    ] as const) {
      const nextMs = (await market.offer(id)).nextHeartbeatAt.getTime();
      expect(nextMs - beforeMs).toBeGreaterThanOrEqual((intervals - 0.6) * heartbeatMs);
      expect(nextMs - afterMs).toBeLessThanOrEqual((intervals + 0.6) * heartbeatMs);
    }
    // By then it is due again by itself.
    await market.prisma.offer.updateMany({ data: { nextHeartbeatAt: new Date() } });
    await market.startCatalog({ heartbeatMs: HEARTBEAT_MS });
    await eventually(() => market.pingsOf('a').length > 0 && market.pingsOf('b').length > 0);
  });
});

/**
 * Whoever is asked is due again at its moment of the next interval, so it is asked once in each. A single gap says nothing: between
 * the asking and the ping the machine may stand still.
 */
function expectOncePerInterval(pings: readonly number[], sinceMs: number, heartbeatMs: number): void {
  expect(pings.length).toBeLessThanOrEqual((performance.now() - sinceMs) / heartbeatMs + 2);
}
