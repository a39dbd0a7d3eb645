import type { Prisma } from '@svc/persistence';
import { forgetOldExchanges } from './certification/report-retention';
import { CountedDatabase } from './counted-database.for-spec';
import { SupplyQuota } from './offer/supply-quota';
import { DueHeartbeatsStore } from './watch/heartbeat/due-heartbeats.store';
import { DueCertificationsStore } from './watch/canary/due-certifications.store';
import { DUE_A_PLACE } from './watch/canary/due-order';

const DAY_MS = 86_400_000;
const PROVIDERS = 200;
const OFFERS = 1_000;
const TABLES = ['offers', 'offer_versions', 'providers', 'bundles', 'certifications', 'certification_probes'];
/** Offers of which a run is open. */
const OPEN = 50;
/** Of the first offer's runs, beside two of each other. */
const MANY_RUNS = 200;

/** Each provider has five offers with ten versions; runs of fifty, that nobody has taken up, are open. */
const FILL = `
  BEGIN; SET LOCAL session_replication_role = replica;
  INSERT INTO catalog.models VALUES ('svc/m@1', 'svc', 131072, 'chat', true, true, false, true, 16384);
  INSERT INTO catalog.bundles SELECT 'bnd_' || n, 'svc/m@1', 'sha256:' || n, 'q8', 'vllm' FROM generate_series(1, 201) n;
  INSERT INTO catalog.providers (wallet, name) SELECT '0x' || lpad(to_hex(n), 40, '0'), 'p' || n FROM generate_series(1, ${PROVIDERS}) n;
  INSERT INTO catalog.offers (id, provider_wallet, bundle_id, profile_id, version, live_version, certification_id, certified_until,
      last_seen_at, next_canary_at)
    SELECT 'ofr_' || n, '0x' || lpad(to_hex(n % ${PROVIDERS} + 1), 40, '0'), 'bnd_' || (n / 5 + 1), 'prf', 10, 10, 'cert_' || n,
      now() + interval '1 hour', now(), now() - interval '1 hour'
    FROM generate_series(1, ${OFFERS}) n;
  INSERT INTO catalog.offer_versions
    SELECT o.id, nth, o.provider_wallet, 'https://models.example/v1', 'model', 1, 1, 16, 131072, 5000, 5000, now() + interval '1 day',
      NULL, substr(o.id, 5)::integer * 10 + nth, '0x' || repeat('0', 64), '0x'
    FROM catalog.offers o, generate_series(1, 10) nth;
  INSERT INTO catalog.certifications (id, offer_id, version, kind, status, metering_version, requested_at, finished_at)
    SELECT o.id || '_run_' || run, o.id, 9, 'full', 'passed', 1, now() - run * interval '1 day', now() - run * interval '1 day'
    FROM catalog.offers o, generate_series(1, CASE o.id WHEN 'ofr_1' THEN ${MANY_RUNS} ELSE 2 END) run;
  INSERT INTO catalog.certification_probes (certification_id, position, name, required, status, exchanges)
    SELECT id, position, 'probe', true, 'passed', '[1]' FROM catalog.certifications, generate_series(1, 10) position;
  INSERT INTO catalog.certifications (id, offer_id, version, kind, status, metering_version)
    SELECT 'open_' || n, 'ofr_' || n, 9, 'full', 'queued', 1 FROM generate_series(1, ${OPEN}) n;
  COMMIT`;

let database: CountedDatabase;

beforeEach(async () => {
  database = await CountedDatabase.start();
  await database.keepUnanalysed();
});

afterEach(() => database.stop());

async function readSoFar(): Promise<number> {
  let rows = 0;
  for (const table of TABLES) rows += await database.rowsRead(table);
  return rows;
}

/** How many rows are read for it. */
async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const before = await readSoFar();
  await work();
  return (await readSoFar()) - before;
}

const inTransaction = (work: (tx: Prisma.TransactionClient) => Promise<unknown>) => () =>
  database.prisma.$transaction(work);

describe.each(['nothing', 'all'] as const)('of a large market, %s of which the planner was told,', (told) => {
  beforeEach(async () => {
    await database.asOwner(FILL);
    if (told === 'all') await database.analyse();
  });

  it('due certifications are ordered with a few rows read for each that is due', async () => {
    const settings = { heartbeatMs: DAY_MS, canaryMs: DAY_MS, certificationTtlMs: 30 * DAY_MS };
    const due = new DueCertificationsStore(database.prisma, settings);
    const canaries = async () => expect(await due.orderCanaries()).toBe(OFFERS / DUE_A_PLACE);
    expect(await rowsRead(canaries)).toBeLessThan(12 * OFFERS);
    const renewals = async () => expect(await due.orderRenewals()).toBe((OFFERS - OPEN) / DUE_A_PLACE);
    expect(await rowsRead(renewals)).toBeLessThan(12 * OFFERS);
  });

  it('heartbeats that are due are taken without reading what is due later', async () => {
    const settings = { heartbeatMs: 30_000, canaryMs: DAY_MS, certificationTtlMs: 30 * DAY_MS };
    const due = new DueHeartbeatsStore(database.prisma, settings);
    for (let taken = 0; taken < OFFERS; taken += 100) expect(await due.claim(100)).toHaveLength(100);
    expect(await rowsRead(async () => expect(await due.claim(100)).toEqual([]))).toBeLessThan(100);
  });

  it('places for a new offer are counted with a few rows read for each that there is', async () => {
    const quota = new SupplyQuota({
      offers: 100,
      offersPerModel: 2 * OFFERS,
      offersTotal: 2 * OFFERS,
      openCertifications: 100,
      versionsPerHour: 60,
      certificationsPerHour: 20,
    });
    const wanted = { provider: `0x${'1'.padStart(40, '0')}`, model: 'svc/m@1', offerId: 'ofr_new' };
    expect(await rowsRead(inTransaction((tx) => quota.requireRoom(tx, wanted)))).toBeLessThan(8 * OFFERS);
  });

  it('exchanges of an offer’s old runs are forgotten without reading those of others', async () => {
    const forget = inTransaction((tx) => forgetOldExchanges(tx, 'ofr_1'));
    // Each of its probes, once to find it and once to write it.
    expect(await rowsRead(forget)).toBeLessThan(3 * 10 * MANY_RUNS);
    expect(await database.prisma.certificationProbe.count({ where: { exchanges: { equals: [] } } })).toBe(
      10 * (MANY_RUNS - 10),
    );
  });
});
