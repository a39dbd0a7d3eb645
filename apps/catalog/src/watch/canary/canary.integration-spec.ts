import { eventually } from '@svc/testing';
import { AuditStore } from '../../audit/audit.store';
import { enqueueCertification } from '../../certification-queue/certification-queue';
import { lockOrders } from '../../database/locks';
import { HealthSuspensionStore } from '../health/health-suspension.store';
import { WatchedMarket } from '../watched-market.for-spec';
import type { WatchSettings } from '../tokens';
import { recordCanary } from './canary-outcome';
import {
  DueCertificationsStore,
  LEAST_CANARIES_OPEN,
  LEAST_RENEWALS_OPEN,
  MOST_CANARIES_OF_ONE,
} from './due-certifications.store';
import { DUE_A_PLACE } from './due-order';

const CANARY_MS = 2_000;
const DAY_MS = 86_400_000;
/** A transaction that is kept open by a test. */
const HELD_UP = { timeout: 30_000 };
const EVERYTHING_BUT_DATE = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

let market: WatchedMarket;

beforeEach(async () => {
  market = await WatchedMarket.open();
});

afterEach(async () => {
  await market.close();
});

const queued = (kind: 'full' | 'canary') =>
  market.prisma.certification.findMany({ where: { kind, status: 'queued' } });

const walletOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}`;

/** What orders when it is told to. */
const storeOf = (settings: Partial<WatchSettings> = {}) =>
  new DueCertificationsStore(market.prisma, {
    heartbeatMs: DAY_MS,
    canaryMs: DAY_MS,
    certificationTtlMs: 30 * DAY_MS,
    ...settings,
  });

/** Whose runs are open, in the order of their names. */
const open = async (kind: 'full' | 'canary') => (await queued(kind)).map(({ offerId }) => offerId).sort();

/** A second version of an offer, which is not live. */
async function addNewest(offerId: string, expiresAt: Date): Promise<void> {
  const version = 2;
  const where = { offerId_version: { offerId, version: 1 } };
  const live = await market.prisma.offerVersion.findUniqueOrThrow({ where });
  const data = { ...live, version, nonce: live.nonce + 1_000n, expiresAt };
  await market.prisma.offerVersion.create({ data });
  await market.prisma.offer.update({ where: { id: offerId }, data: { version } });
}

/** So many offers of a provider each, whose certification is nearly over and whose canary is due. */
async function addMany(count: number): Promise<void> {
  await market.prisma.$transaction([
    market.prisma.$executeRaw`
      INSERT INTO catalog.providers (wallet, name)
      SELECT '0x' || lpad(to_hex(i), 40, '0'), 'p' FROM generate_series(1, ${count}::integer) i`,
    market.prisma.$executeRaw`
      INSERT INTO catalog.profiles (id, hardware_class, context_limit, speed_tier)
      SELECT 'many' || i, 'cpu', 8192, 'standard' FROM generate_series(1, ${count}::integer) i`,
    market.prisma.$executeRaw`
      INSERT INTO catalog.offers (id, provider_wallet, bundle_id, profile_id, version, live_version, certification_id, certified_until,
        next_canary_at)
      SELECT 'many' || i, '0x' || lpad(to_hex(i), 40, '0'), 'tiny-q4', 'many' || i, 1, 1, 'cert_0', now() + interval '1 hour', now()
      FROM generate_series(1, ${count}::integer) i`,
    market.prisma.$executeRaw`
      INSERT INTO catalog.offer_versions (offer_id, version, provider_wallet, endpoint, upstream_model, input_price_per_mtok,
        output_price_per_mtok, concurrency, context_limit, first_token_timeout_ms, chunk_timeout_ms, expires_at, nonce, digest, signature)
      SELECT o.id, 1, o.provider_wallet, 'https://' || o.id || '.example/v1', 'tiny', 1, 1, 8, 8192, 1000, 1000, now() + interval '1 day',
        1, '0x' || repeat('0', 64), '0x'
      FROM catalog.offers o`,
  ]);
}

/** Whether a statement waits for another transaction to end. */
const waitsForRow = async () => {
  const [waiting] = await market.prisma.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%SET next_canary_at%'`;
  return Number(waiting?.count ?? 0) > 0;
};

/** How many transactions wait to order. */
const waitingForOrders = async () => {
  const [waiting] = await market.prisma.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'`;
  return Number(waiting?.count ?? 0);
};

/** Lets the pause of a suspended offer be over now instead of in minutes, and its next canary be due. */
const hasten = (id: string) =>
  market.prisma.offer.update({ where: { id }, data: { nextCanaryAt: new Date(), retryAt: new Date() } });

describe('canaries', () => {
  it('take an offer off the market when two in a row fail, and put it back when one passes', async () => {
    await market.addOffers({ id: 'a', nextCanaryInMs: 0 });
    await market.startCatalog({ canaryMs: 3_600_000 });
    expect(await market.endCanary('a', false)).toBe('failed');
    expect(await market.offer('a')).toMatchObject({ watchCode: null, retries: 1 });
    // The second follows at once, not after an hour.
    expect(await market.endCanary('a', false)).toBe('suspend');
    const drifted = await market.offer('a');
    const watchReason = 'Two canaries in a row failed, the last by the probe "plain_text". It said nothing.';
    expect(drifted).toMatchObject({ watchCode: 'drift', watchReason, retries: 0 });
    expect(minutesFromNow(drifted.retryAt)).toBeCloseTo(1, 0);
    // In vain, it is tried less often.
    await hasten('a');
    expect(await market.endCanary('a', false)).toBe('failed');
    const again = await market.offer('a');
    expect(again).toMatchObject({ watchCode: 'drift', retries: 1 });
    expect(minutesFromNow(again.retryAt)).toBeCloseTo(2, 0);
    await hasten('a');
    expect(await market.endCanary('a', true)).toBe('reinstate');
    expect(await market.offer('a')).toMatchObject({
      watchCode: null,
      watchReason: null,
      retryAt: null,
      retries: 0,
    });
    expect(await market.trail('a')).toEqual([
      `catalog offer.suspended drift: ${watchReason}`,
      'catalog offer.reinstated a canary passed; it was suspended for drift',
    ]);
  });

  it.each([-25, 25])('pause by the database’s clock where the catalogue’s is %d hours off', async (hours) => {
    await market.addOffers({ id: 'a', nextCanaryInMs: DAY_MS });
    jest.useFakeTimers({ now: Date.now() + hours * 3_600_000, doNotFake: EVERYTHING_BUT_DATE });
    try {
      const order = async () => {
        const canary = { offerId: 'a', version: 1, kind: 'canary', by: 'house' } as const;
        const id = await market.prisma.$transaction((tx) => enqueueCertification(tx, canary));
        const { requestedAt } = await market.prisma.certification.findUniqueOrThrow({ where: { id } });
        return { offerId: 'a', requestedAt };
      };
      const end = async (passed: boolean) => {
        const ordered = await order();
        return market.prisma.$transaction((tx) => recordCanary(tx, { ...ordered, passed }));
      };
      expect([await end(false), await end(false)]).toEqual(['failed', 'suspend']);
      const minutes = async () => {
        const [row] = await market.prisma.$queryRaw<{ next: number; retry: number; since: number }[]>`
          SELECT extract(epoch FROM next_canary_at - now())::float8 / 60 AS next, extract(epoch FROM retry_at - now())::float8 / 60 AS retry,
                 extract(epoch FROM watch_since - now())::float8 / 60 AS since FROM catalog.offers WHERE id = 'a'`;
        return row;
      };
      const near = (expected: number): number => expect.closeTo(expected, 0) as number;
      expect(await minutes()).toEqual({ next: near(1), retry: near(1), since: near(0) });
      expect(await end(true)).toBe('held');
      expect(await minutes()).toMatchObject({ next: near(1) });
      await market.prisma
        .$executeRaw`UPDATE catalog.offers SET retry_at = now(), next_canary_at = now() WHERE id = 'a'`;
      expect(await end(true)).toBe('reinstate');
    } finally {
      jest.useRealTimers();
    }
  });

  it('come again and again, and one that fails between two that pass is forgotten', async () => {
    await market.addOffers({ id: 'a', nextCanaryInMs: 0 });
    await market.startCatalog({ canaryMs: CANARY_MS });
    for (const passed of [false, true, false, true]) {
      expect(await market.endCanary('a', passed)).toBe(passed ? 'passed' : 'failed');
    }
    expect(await market.trail('a')).toEqual([]);
  });

  it('are planned for offers that have none, and are few at once, those that failed before the others', async () => {
    const ids = Array.from({ length: LEAST_CANARIES_OPEN * 2 }, (_, index) => `o${index}`);
    await market.addOffers(
      ...ids.map((id, index) => ({ id, nextCanaryInMs: -index, provider: walletOf(index) })),
    );
    await market.prisma.offer.updateMany({ where: { id: { in: ids } }, data: { nextCanaryAt: null } });
    await market.startCatalog({ canaryMs: 200 });
    await market.startCatalog({ canaryMs: 200 });
    await eventually(async () => (await queued('canary')).length === LEAST_CANARIES_OPEN);
    const [first] = await queued('canary');
    if (!first) throw new Error('none queued');
    expect(await market.endCanary(first.offerId, false)).toBe('failed');
    expect(await market.endCanary(first.offerId, true)).toBe('passed');
    expect((await queued('canary')).length).toBeLessThanOrEqual(LEAST_CANARIES_OPEN);
  });

  it('of one provider are half of them, however many are due and however long they take', async () => {
    const ids = Array.from({ length: LEAST_CANARIES_OPEN }, (_, index) => `slow${index}`);
    await market.addOffers(...ids.map((id) => ({ id, nextCanaryInMs: -1_000 })));
    const service = await market.startCatalog({ canaryMs: 3_600_000 });
    await eventually(async () => (await queued('canary')).length > 0);
    await market.addOffers({ id: 'other', provider: walletOf(1), nextCanaryInMs: 0 });
    await eventually(async () => (await queued('canary')).some(({ offerId }) => offerId === 'other'));
    await market.stop(service);
    expect((await queued('canary')).length).toBe(MOST_CANARIES_OF_ONE + 1);
  });

  it('come to whose provider has waited longest for one, however many others have due', async () => {
    const slow = Array.from({ length: LEAST_CANARIES_OPEN }, (_, index) => `slow${index}`);
    await market.addOffers(
      ...slow.flatMap((id, index) =>
        ['', ' too', ' as well'].map((which) => ({
          id: id + which,
          provider: walletOf(index),
          nextCanaryInMs: -DAY_MS,
        })),
      ),
    );
    const store = storeOf();
    expect(await store.orderCanaries()).toBe(LEAST_CANARIES_OPEN);
    // Due for much less, and of a provider whom nobody has looked at.
    await market.addOffers({ id: 'other', provider: walletOf(9), nextCanaryInMs: 0 });
    const [first] = await open('canary');
    await market.endCanary(first!, true);
    expect(await store.orderCanaries()).toBe(1);
    expect(await open('canary')).toContain('other');
  });

  it('are by turns for who is off the market, or failed once, and for the others', async () => {
    const names = Array.from({ length: LEAST_CANARIES_OPEN }, (_, index) => index);
    const offersOf = (id: string, provider: number, nextCanaryInMs: number) =>
      names.map((index) => ({
        id: `${id}${index}`,
        provider: walletOf(provider + index),
        nextCanaryInMs: nextCanaryInMs - index,
      }));
    await market.addOffers(...offersOf('waits', 10, 0), ...offersOf('serves', 20, -60_000));
    const since = new Date(Date.now() - 60_000);
    const drifted = { watchCode: 'drift', watchReason: 'x', watchSince: since, retryAt: since };
    await market.prisma.offer.update({ where: { id: 'waits3' }, data: drifted });
    await market.prisma.offer.updateMany({
      where: { id: { in: ['waits0', 'waits1', 'waits2'] } },
      data: { retries: 1 },
    });
    const store = storeOf();
    await store.orderCanaries();
    // The longest due of each, however much longer the others are.
    expect(await open('canary')).toEqual(['serves2', 'serves3', 'waits2', 'waits3']);
    await market.endCanary('serves2', true);
    await store.orderCanaries();
    expect(await open('canary')).toEqual(['serves1', 'serves3', 'waits2', 'waits3']);
    await market.endCanary('waits3', true);
    await store.orderCanaries();
    expect(await open('canary')).toEqual(['serves1', 'serves3', 'waits1', 'waits2']);
  });

  it.each([
    [DUE_A_PLACE * LEAST_CANARIES_OPEN, LEAST_CANARIES_OPEN],
    [DUE_A_PLACE * 5, 5],
  ])('are so many at once, where %i are due: %i', async (due, ordered) => {
    await addMany(due);
    expect(await storeOf().orderCanaries()).toBe(ordered);
    expect(await storeOf().orderCanaries()).toBe(0);
  });

  it('of suspended providers, which wait for as long as these are suspended, keep nobody out', async () => {
    const ids = Array.from({ length: LEAST_CANARIES_OPEN }, (_, index) => `barred${index}`);
    const providerOf = (index: number) => walletOf(Math.floor(index / MOST_CANARIES_OF_ONE));
    await market.addOffers(
      ...ids.map((id, index) => ({ id, provider: providerOf(index), nextCanaryInMs: 0 })),
    );
    await market.startCatalog({ canaryMs: 3_600_000 });
    await eventually(async () => (await queued('canary')).length === LEAST_CANARIES_OPEN);
    await market.suspendProviders(...ids.map((_, index) => providerOf(index)));
    await market.addOffers({ id: 'other', nextCanaryInMs: 0 });
    await market.untilCanary('other');
    expect(await open('canary')).toEqual([...ids, 'other']);
  });

  it('second ones come first, also when their first ended while canaries were being ordered', async () => {
    const others = Array.from({ length: LEAST_CANARIES_OPEN - 1 }, (_, index) => `open${index}`);
    await market.addOffers(
      ...others.map((id, index) => ({ id, provider: walletOf(index) })),
      { id: 'waiting', nextCanaryInMs: -1_000 },
      { id: 'failed' },
      { id: 'unplanned' },
    );
    await market.prisma.offer.update({ where: { id: 'unplanned' }, data: { nextCanaryAt: null } });
    await market.prisma.$transaction(async (tx) => {
      // Whoever orders has begun, and waits for this row.
      await tx.$queryRaw`SELECT id FROM catalog.offers WHERE id = 'unplanned' FOR UPDATE`;
      await market.startCatalog({ canaryMs: 3_600_000 });
      await eventually(waitsForRow);
      for (const id of others) {
        await market.prisma.$transaction((each) =>
          enqueueCertification(each, { offerId: id, version: 1, kind: 'canary', by: 'house' }),
        );
      }
      const again = { retries: 1, nextCanaryAt: new Date() };
      await market.prisma.offer.update({ where: { id: 'failed' }, data: again });
    }, HELD_UP);
    await eventually(async () => (await queued('canary')).length === LEAST_CANARIES_OPEN);
    expect(await open('canary')).toEqual(['failed', ...others]);
  });

  it('are planned without a deadlock with whoever judges several offers at once', async () => {
    await market.addOffers({ id: 'a' }, { id: 'b' });
    // They lie in the table as they were written last: who reads it as it lies comes to "b" first. No heartbeat writes them again.
    const data = { nextCanaryAt: null, nextHeartbeatAt: new Date(Date.now() + DAY_MS) };
    for (const id of ['b', 'a']) await market.prisma.offer.update({ where: { id }, data });
    await market.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM catalog.offers WHERE id = 'a' FOR UPDATE`;
      await market.startCatalog({ canaryMs: 3_600_000 });
      await eventually(waitsForRow);
      // Whoever waits for the first has none of the others.
      await tx.$queryRaw`SELECT id FROM catalog.offers WHERE id = 'b' FOR UPDATE NOWAIT`;
    }, HELD_UP);
    await eventually(async () => (await market.offer('b')).nextCanaryAt !== null);
  });

  it('are not for an offer whose live version, newest version or certification is over, nor for a suspended provider’s', async () => {
    const ids = ['live-over', 'newest-over', 'uncertified', 'barred'];
    const terms = { 'live-over': { expiresInMs: 0 }, uncertified: { certifiedForMs: 0 } };
    await market.addOffers(
      ...ids.map((id, index) => {
        return { id, provider: walletOf(index), nextCanaryInMs: 0, ...terms[id as keyof typeof terms] };
      }),
    );
    await addNewest('live-over', new Date(Date.now() + DAY_MS));
    await addNewest('newest-over', new Date());
    await market.suspendProviders(walletOf(ids.indexOf('barred')));
    const settings = { heartbeatMs: DAY_MS, canaryMs: DAY_MS, certificationTtlMs: DAY_MS };
    const store = new DueCertificationsStore(market.prisma, settings);
    await store.orderCanaries();
    expect(await queued('canary')).toEqual([]);
    await market.addOffers({ id: 'due', nextCanaryInMs: 0 });
    await store.orderCanaries();
    expect(await queued('canary')).toMatchObject([{ offerId: 'due' }]);
  });

  it('that doubts call for come once in five minutes at most', async () => {
    await market.addOffers({ id: 'doubted' });
    const store = new HealthSuspensionStore(market.prisma, new AuditStore(market.prisma));
    const canary = { offerId: 'doubted', version: 1, kind: 'canary', by: 'house' } as const;
    const id = await market.prisma.$transaction((tx) => enqueueCertification(tx, canary));
    const askedBefore = (seconds: number) =>
      market.prisma.$executeRaw`
        UPDATE catalog.certifications SET status = 'passed', finished_at = now(), requested_at = now() - ${seconds} * interval '1 s'
        WHERE id = ${id}`;
    await askedBefore(240);
    expect(await store.check('doubted', 300_000)).toBe(false);
    await askedBefore(301);
    expect(await store.check('doubted', 300_000)).toBe(true);
    // By a clock that was set back since.
    await market.prisma.offer.update({
      where: { id: 'doubted' },
      data: { nextCanaryAt: new Date(Date.now() + DAY_MS) },
    });
    await askedBefore(-86_400);
    expect(await store.check('doubted', 300_000)).toBe(true);
  });

  it('lift what was found before the database’s clock was set back', async () => {
    await market.addOffers({ id: 'fails' });
    const tomorrow = new Date(Date.now() + DAY_MS);
    await market.prisma.offer.update({
      where: { id: 'fails' },
      data: {
        watchCode: 'failing',
        watchReason: 'x',
        watchSince: tomorrow,
        retryAt: tomorrow,
        nextCanaryAt: tomorrow,
      },
    });
    const settings = { heartbeatMs: DAY_MS, canaryMs: CANARY_MS, certificationTtlMs: DAY_MS };
    expect(await new DueCertificationsStore(market.prisma, settings).orderCanaries()).toBe(1);
    const outcome = { offerId: 'fails', requestedAt: new Date(), passed: true };
    expect(await market.prisma.$transaction((tx) => recordCanary(tx, outcome))).toBe('reinstate');
    expect(await market.offer('fails')).toMatchObject({ watchCode: null, retryAt: null });
  });

  it('go on after the database’s clock was set back', async () => {
    await market.addOffers({ id: 'planned', nextCanaryInMs: DAY_MS }, { id: 'near', nextCanaryInMs: 60_000 });
    const settings = { heartbeatMs: DAY_MS, canaryMs: CANARY_MS, certificationTtlMs: DAY_MS };
    await new DueCertificationsStore(market.prisma, settings).orderCanaries();
    expect(await queued('canary')).toMatchObject([{ offerId: 'planned' }]);
    const { nextCanaryAt } = await market.offer('planned');
    expect(Number(nextCanaryAt)).toBeLessThan(Date.now() + 2 * CANARY_MS);
  });

  it('leave alone what operators suspended and what is over, and go on beside a full certification', async () => {
    await market.addOffers(
      { id: 'operators', nextCanaryInMs: 0 },
      { id: 'over', nextCanaryInMs: 0, expiresInMs: 0 },
      { id: 'busy', nextCanaryInMs: 0 },
      { id: 'due', nextCanaryInMs: 0 },
    );
    await market.prisma.offer.update({
      where: { id: 'operators' },
      data: { suspendedAt: new Date(), suspensionReason: 'fraud' },
    });
    await market.prisma.certification.create({
      data: {
        id: 'cert_1',
        offerId: 'busy',
        version: 1,
        kind: 'full',
        status: 'running',
        meteringVersion: 1,
      },
    });
    await market.startCatalog({ canaryMs: 3_600_000 });
    await eventually(async () => (await queued('canary')).length >= 2);
    expect(await open('canary')).toEqual(['busy', 'due']);
    expect((await market.prisma.certification.findUniqueOrThrow({ where: { id: 'cert_1' } })).status).toBe(
      'running',
    );
    // A canary that was under way when the operator came lifts what watching had said before, and that alone.
    await market.prisma.offer.update({
      where: { id: 'due' },
      data: {
        suspendedAt: new Date(),
        suspensionReason: 'fraud',
        watchCode: 'failing',
        watchReason: 'x',
        watchSince: new Date(Date.now() - 60_000),
      },
    });
    expect(await market.endCanary('due', true)).toBe('reinstate');
    expect(await market.offer('due')).toMatchObject({ watchCode: null, suspensionReason: 'fraud' });
  });

  it('lift nothing that was found after they had been ordered, until one comes after the pause', async () => {
    await market.addOffers({ id: 'cheats' });
    const { app } = await market.startCatalog({ canaryMs: 3_600_000 });
    const store = app.get(HealthSuspensionStore, { strict: false });
    expect(await store.check('cheats', 300_000)).toBe(true);
    await eventually(async () => (await queued('canary')).length === 1);
    expect(await store.suspend('cheats', { code: 'usage_inflated', reason: 'x' })).toBe(true);
    const convicted = await market.offer('cheats');
    // Whatever had put the next one off, the one that may lift it comes as soon as the pause is over.
    const putOff = new Date(Date.now() + DAY_MS);
    await market.prisma.offer.update({ where: { id: 'cheats' }, data: { nextCanaryAt: putOff } });
    expect(await market.endCanary('cheats', true)).toBe('held');
    expect(await market.offer('cheats')).toMatchObject({
      watchCode: 'usage_inflated',
      retryAt: convicted.retryAt,
      nextCanaryAt: convicted.retryAt,
    });
    await hasten('cheats');
    expect(await market.endCanary('cheats', true)).toBe('reinstate');
    expect(await market.trail('cheats')).toEqual([
      'catalog offer.suspended usage_inflated: x',
      'catalog offer.reinstated a canary passed; it was suspended for usage_inflated',
    ]);
  });
});

describe('certifications that end', () => {
  it('are made anew as soon as the catalogue has started, also when others are being ordered just then', async () => {
    await market.addOffers({ id: 'ends', certifiedForMs: 3_600_000 });
    await market.prisma.$transaction(async (tx) => {
      await lockOrders(tx);
      await market.startCatalog({ certificationTtlMs: 30 * DAY_MS });
      await eventually(async () => (await waitingForOrders()) === 2);
    }, HELD_UP);
    await eventually(async () => (await queued('full')).length === 1);
  });

  it('are made anew before, a few at once, and not again at once when that fails', async () => {
    const ids = Array.from({ length: LEAST_RENEWALS_OPEN + 1 }, (_, index) => `o${index}`);
    await market.addOffers(
      ...ids.map((id, index) => ({
        id,
        provider: walletOf(index),
        certifiedForMs: 60_000 + index * 1_000,
      })),
      { id: 'fresh', certifiedForMs: 2 * DAY_MS },
    );
    await market.startCatalog({ certificationTtlMs: 30 * DAY_MS });
    // Looks every second, and at one that failed not again for a quarter of a minute.
    await market.startCatalog({ certificationTtlMs: 1_200_000 });
    await eventually(async () => (await queued('full')).length === LEAST_RENEWALS_OPEN);
    // The soonest first; the offers serve on.
    expect(await open('full')).toEqual(['o0', 'o1']);
    expect(await market.offer('o1')).toMatchObject({
      liveVersion: 1,
      watchCode: null,
      certificationId: 'cert_0',
    });
    await market.prisma.certification.updateMany({
      where: { offerId: { in: ['o0', 'o1'] } },
      data: { status: 'refused', finishedAt: new Date(), refusalProbe: 'x', refusalMessage: 'x' },
    });
    await eventually(async () => (await queued('full')).some(({ offerId }) => offerId === 'o2'));
  });

  it('are made anew after the database’s clock was set back, whenever that failed last', async () => {
    await market.addOffers({ id: 'ends', certifiedForMs: 0 });
    const order = { offerId: 'ends', version: 1, kind: 'full', by: 'house' } as const;
    const id = await market.prisma.$transaction((tx) => enqueueCertification(tx, order));
    const refused = {
      status: 'refused',
      finishedAt: new Date(),
      refusalProbe: 'x',
      refusalMessage: 'x',
    } as const;
    const failedInMs = (inMs: number) => {
      const requestedAt = new Date(Date.now() + inMs);
      return market.prisma.certification.update({ where: { id }, data: { ...refused, requestedAt } });
    };
    const settings = { heartbeatMs: DAY_MS, canaryMs: DAY_MS, certificationTtlMs: DAY_MS };
    const store = new DueCertificationsStore(market.prisma, settings);
    await failedInMs(-1_000);
    expect(await store.orderRenewals()).toBe(0);
    await failedInMs(DAY_MS);
    expect(await store.orderRenewals()).toBe(1);
  });

  it('of a suspended provider keep no others from being made anew', async () => {
    const ids = Array.from({ length: LEAST_RENEWALS_OPEN }, (_, index) => `barred${index}`);
    await market.addOffers(...ids.map((id, index) => ({ id, provider: walletOf(index), certifiedForMs: 0 })));
    // Looks every second.
    await market.startCatalog({ certificationTtlMs: 1_200_000 });
    await eventually(async () => (await queued('full')).length === LEAST_RENEWALS_OPEN);
    await market.suspendProviders(...ids.map((_, index) => walletOf(index)));
    await market.addOffers({ id: 'other', certifiedForMs: 1_000 });
    await eventually(async () => (await queued('full')).some(({ offerId }) => offerId === 'other'));
  });

  it('of one provider are one, however many are due and however long they take', async () => {
    const slow = Array.from({ length: LEAST_RENEWALS_OPEN + 1 }, (_, index) => `slow${index}`);
    await market.addOffers(...slow.map((id) => ({ id, certifiedForMs: 1_000_000 })), {
      id: 'other',
      provider: walletOf(1),
      certifiedForMs: 2_000_000,
    });
    const store = storeOf();
    expect(await store.orderRenewals()).toBe(2);
    expect(await open('full')).toEqual(['other', expect.stringMatching(/^slow/)]);
    // Nor while it waits for its endpoint to be less busy, which keeps no other provider's waiting.
    await market.prisma.certification.updateMany({ data: { busyTimes: 1 } });
    await market.addOffers({ id: 'third', provider: walletOf(2), certifiedForMs: 3_000_000 });
    expect(await store.orderRenewals()).toBe(1);
    expect(await open('full')).toEqual(['other', expect.stringMatching(/^slow/), 'third']);
  });

  it('come to whose provider has waited longest for one', async () => {
    await market.addOffers(
      ...['a', 'b', 'c'].flatMap((name, index) =>
        ['1', '2'].map((digit) => ({
          id: `${name}${digit}`,
          provider: walletOf(index),
          certifiedForMs: 1_000_000 + index * 1_000,
        })),
      ),
    );
    const store = storeOf();
    const turns: string[][] = [];
    for (let count = 0; count < 3; count++) {
      await store.orderRenewals();
      turns.push(await open('full'));
      await market.prisma.certification.updateMany({
        where: { kind: 'full', status: 'queued' },
        data: { status: 'refused', finishedAt: new Date(), refusalProbe: 'x', refusalMessage: 'x' },
      });
    }
    const names = turns.map((ids) => ids.map((id) => id.charAt(0)).join(' '));
    expect(names).toEqual(['a b', 'a c', 'b c']);
  });

  it('are made anew of what serves, before what has not been for some time', async () => {
    const forMs = [-2 * DAY_MS, -DAY_MS, 1_000_000, 2_000_000];
    await market.addOffers(
      ...forMs.map((certifiedForMs, index) => ({
        id: `o${index}`,
        provider: walletOf(index),
        certifiedForMs,
      })),
    );
    await storeOf().orderRenewals();
    expect(await open('full')).toEqual(['o2', 'o3']);
  });

  it.each([
    [1, 3],
    [2, 6],
    [3, 12],
    [4, 24],
    [7, 24],
  ])('that failed %i times are made anew after %i hours', async (failures, hours) => {
    await market.addOffers({ id: 'fails', certifiedForMs: 0 });
    const agoMs = (ms: number) => new Date(Date.now() - ms);
    const ids: string[] = [];
    for (let count = 0; count < failures; count++) {
      const order = { offerId: 'fails', version: 1, kind: 'full', by: 'house' } as const;
      ids.push(await market.prisma.$transaction((tx) => enqueueCertification(tx, order)));
      await market.prisma.certification.update({
        where: { id: ids.at(-1)! },
        data: {
          status: 'refused',
          requestedAt: agoMs((hours + 12 * (failures - count - 1)) * 3_600_000),
          finishedAt: new Date(),
          refusalProbe: 'x',
          refusalMessage: 'x',
        },
      });
    }
    const lastAgo = (ms: number) =>
      market.prisma.certification.update({
        where: { id: ids.at(-1)! },
        data: { requestedAt: agoMs(ms) },
      });
    await lastAgo(hours * 3_600_000 - 60_000);
    expect(await storeOf().orderRenewals()).toBe(0);
    await lastAgo(hours * 3_600_000 + 60_000);
    expect(await storeOf().orderRenewals()).toBe(1);
  });

  it.each([
    [DUE_A_PLACE * LEAST_RENEWALS_OPEN, LEAST_RENEWALS_OPEN],
    [DUE_A_PLACE * 3, 3],
    [DUE_A_PLACE * 40, 32],
  ])('are so many at once, where %i are due: %i', async (due, ordered) => {
    await addMany(due);
    expect(await storeOf().orderRenewals()).toBe(ordered);
    expect(await storeOf().orderRenewals()).toBe(0);
  });
});

function minutesFromNow(moment: Date | null): number {
  return ((moment?.getTime() ?? 0) - Date.now()) / 60_000;
}
