import { CountedDatabase } from '../counted-database.for-spec';
import { scopeOf } from './certified-offer.for-spec';
import { PublicationStore } from './publication.store';

const MODEL = 'svc/former@1';
const PROVIDER = `0x${'1'.repeat(40)}`;
const RUNS = 500;

let database: CountedDatabase;

/** Two offers that were certified anew again and again until they were withdrawn; of each, the last run was refused. */
async function fill({ prisma }: CountedDatabase): Promise<void> {
  const scope = JSON.stringify(scopeOf());
  await prisma.$transaction([
    prisma.$executeRaw`INSERT INTO catalog.models VALUES (${MODEL}, 'svc', 131072, 'chat', true, true, false, true, 16384)`,
    prisma.$executeRaw`INSERT INTO catalog.bundles VALUES ('bnd', ${MODEL}, 'sha256:0', 'q8', 'vllm')`,
    prisma.$executeRaw`INSERT INTO catalog.profiles VALUES ('prf_1', 'gpu', 131072, 'fast'), ('prf_2', 'gpu', 65536, 'fast')`,
    prisma.$executeRaw`INSERT INTO catalog.providers (wallet, name) VALUES (${PROVIDER}, 'one')`,
    prisma.$executeRaw`
      INSERT INTO catalog.offers (id, provider_wallet, bundle_id, profile_id, version, withdrawn_at)
      SELECT 'ofr_' || n, ${PROVIDER}, 'bnd', 'prf_' || n, 1, now() FROM generate_series(1, 2) n`,
    prisma.$executeRaw`
      INSERT INTO catalog.offer_versions
      SELECT 'ofr_' || n, 1, ${PROVIDER}, 'https://one.example/v1', 'm', 1, 1, 1, 1000 * n, 5000, 5000, now(), NULL, n,
        '0x' || repeat('0', 64), '0x00'
      FROM generate_series(1, 2) n`,
    prisma.$executeRaw`
      INSERT INTO catalog.certifications (id, offer_id, version, kind, status, metering_version, requested_at, finished_at, result,
        refusal_probe, refusal_message)
      SELECT 'cert_' || n || '_' || run, 'ofr_' || n, 1, 'full', CASE WHEN run = ${RUNS} THEN 'refused' ELSE 'passed' END, 1, at,
        at + interval '1 minute', ${scope}::jsonb, CASE WHEN run = ${RUNS} THEN 'stop' END, CASE WHEN run = ${RUNS} THEN 'no' END
      FROM generate_series(1, 2) n, generate_series(1, ${RUNS}::integer) run,
        LATERAL (SELECT now() + run * interval '1 hour' - n * interval '1 second') AS times (at)`,
  ]);
}

beforeAll(async () => {
  database = await CountedDatabase.start();
  await fill(database);
  await database.analyse();
});

afterAll(() => database.stop());

it('of a model that nobody offers any more, reads what it was certified for last, and not all that it ever was', async () => {
  const before = await database.rowsRead('certifications');
  const former = await new PublicationStore(database.prisma).exclusively((reader) =>
    reader.formerScopes([MODEL]),
  );
  expect([...former]).toEqual([
    [MODEL, { certificationId: `cert_1_${RUNS - 1}`, scope: scopeOf(), contextLimit: 1_000 }],
  ]);
  expect((await database.rowsRead('certifications')) - before).toBeLessThan(20);
});
