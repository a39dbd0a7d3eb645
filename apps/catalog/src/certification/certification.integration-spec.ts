import type { CertificationReport, ProbeCallRequest } from '@svc/contracts';
import type { ListeningService } from '@svc/service-host';
import { eventually } from '@svc/testing';
import { Client } from 'pg';
import { healthOf } from '../watch/health/offer-health.for-spec';
import { OfferHealthView } from '../watch/health/offer-health.view';
import { CertificationEndings } from './certification-endings.service';
import { ANOTHER_PROVIDER, CertifyingMarket, PROVIDER } from './certification.for-spec';
import type { Dispatcher } from './certification.for-spec';
import type { RunJob } from './certification-run.store';
import { RunLostError } from './run-lost.error';
import { failing } from './probes/observation.for-spec';
import { observeSmallModel } from './small-model.for-spec';

let market: CertifyingMarket;
let catalog: ListeningService;
let offers = 0;

/** An offer of its own, with one version. */
async function newOffer(): Promise<string> {
  const id = `offer-${++offers}`;
  await market.addVersion(id);
  return id;
}

/** What dispatch was asked for this offer. */
const askedFor = (offerId: string) => market.asked.filter(({ upstreamModel }) => upstreamModel === offerId);

/** Answers one offer in a way of its own, and the others like the small model. */
function observeOffer(offerId: string, observe: Dispatcher): void {
  const others = market.observe;
  market.observe = (request) => (request.upstreamModel === offerId ? observe(request) : others(request));
}

/** Lets the pause of an offer that watching suspended be over. */
const endPause = (id: string) => market.prisma.offer.update({ where: { id }, data: { retryAt: new Date() } });

const statuses = ({ probes }: CertificationReport) =>
  Object.fromEntries(probes.map(({ name, status }) => [name, status]));

const asksWithStop = ({ body }: ProbeCallRequest) => 'stop' in body;

beforeAll(async () => {
  market = await CertifyingMarket.open();
  catalog = await market.startCatalog();
});

beforeEach(() => {
  market.observe = observeSmallModel;
});

afterAll(() => market.close());

describe('a full certification', () => {
  it('puts an offer on the market for exactly what it can do', async () => {
    const offerId = await newOffer();
    const published = market.published;
    const id = await market.enqueue(offerId);
    const report = await market.ended(id);
    expect(new Set(Object.values(statuses(report)))).toEqual(new Set(['passed']));
    expect(report).toMatchObject({
      id,
      kind: 'full',
      status: 'passed',
      provider: PROVIDER,
      model: 'svc/tiny@1',
      done: 16,
      total: 16,
      meteringVersion: 1,
      result: {
        capabilities: { tools: true, structuredOutputs: true, streaming: true, maxOutputTokens: 4_096 },
        toolContract: {
          tool_choice: ['auto', 'none', 'required', 'function'],
          parallel_tool_calls: true,
          strict_schemas: true,
          max_argument_bytes: 1_024,
          certified_concurrency: 4,
          agentic_certified: true,
          certification_id: id,
        },
        concurrency: 4,
      },
    });
    const offer = await market.offer(offerId);
    expect(offer).toMatchObject({ liveVersion: 1, certificationId: id, watchCode: null });
    expect(offer.certifiedUntil?.toISOString()).toBe(report.validUntil);
    expect(await market.trail(offerId)).toEqual([`catalog offer.live: version 1 is certified by ${id}`]);
    await eventually(() => market.published > published);
  });

  it('asks as the offer says, and shows nobody where', async () => {
    const offerId = await newOffer();
    observeOffer(offerId, (request) => ({
      ...observeSmallModel(request),
      received: `from ${request.endpoint}, Bearer abcdefgh123: `.repeat(300),
    }));
    const report = await market.ended(await market.enqueue(offerId));
    expect(askedFor(offerId)[0]).toMatchObject({
      provider: PROVIDER,
      endpoint: `http://${offerId}.example:8080/v1`,
      credential: 'sealed',
      firstTokenTimeoutMs: 1_000,
      chunkTimeoutMs: 1_000,
      timeoutMs: 120_000,
      body: { temperature: 0 },
    });
    const shown = JSON.stringify(report);
    expect(shown).toContain('from [endpoint], [credential]');
    // The port with what stands around it: its digits alone may be drawn, for a number or an id.
    expect(shown).not.toMatch(/example|:8080\/|abcdefgh123|sealed/);
    const [exchange] = report.probes[0]?.exchanges ?? [];
    expect(Buffer.byteLength(exchange?.reply ?? '')).toBeLessThanOrEqual(4_096);
  });

  it('refuses with the failing probe, what was asked and what came', async () => {
    const offerId = await newOffer();
    observeOffer(offerId, (request) =>
      observeSmallModel({ ...request, body: { ...request.body, stop: [] } }),
    );
    const report = await market.ended(await market.enqueue(offerId));
    const message = 'Asked with stop ["Thursday"], its reply held "Thursday" all the same.';
    expect(report).toMatchObject({ status: 'refused', refusal: { probe: 'stop', message }, done: 16 });
    expect(report.result).toBeUndefined();
    const probe = report.probes.find(({ name }) => name === 'stop');
    expect(probe).toMatchObject({ status: 'failed', required: true, message });
    expect(probe?.exchanges.length).toBeGreaterThan(1);
    expect(await market.offer(offerId)).toMatchObject({ liveVersion: null, certificationId: null });
    expect(await market.trail(offerId)).toEqual([`catalog offer.refused: version 1: stop: ${message}`]);
  });

  it('asks no further when the endpoint is not there, and says so', async () => {
    const offerId = await newOffer();
    observeOffer(offerId, () => failing('connect_failed', { sent: '', received: '', status: undefined }));
    const report = await market.ended(await market.enqueue(offerId));
    expect(report.refusal).toEqual({
      probe: 'plain_text',
      message: 'Asked for a short text, no connection could be made. It was tried 2 times.',
    });
    expect(statuses(report)).toMatchObject({
      plain_text: 'failed',
      stream_text: 'skipped',
      agentic: 'skipped',
    });
    // Twice more, in case it only blinked; and all of it once more, in case it was starting.
    expect(askedFor(offerId)).toHaveLength(6);
  });

  it('waits for a server that loads its model, and does nothing twice that was done', async () => {
    const offerId = await newOffer();
    const loading = failing('status_5xx', { status: 503 });
    let asked = 0;
    observeOffer(offerId, (request) => {
      const isLoading = asksWithStop(request) && asked++ < 5;
      return isLoading ? loading : observeSmallModel(request);
    });
    const report = await market.ended(await market.enqueue(offerId));
    expect(report.status).toBe('passed');
    const figures = report.probes.filter(({ figures: { tries } }) => tries !== undefined);
    expect(figures).toMatchObject([{ name: 'stop', status: 'passed', figures: { tries: 2 } }]);
  });

  it('wants the sign of life that heartbeats will ask for', async () => {
    const offerId = await newOffer();
    const signs = market.pinged;
    market.pinged = ({ endpoint }) =>
      endpoint.includes(offerId)
        ? { alive: false, status: 500, reason: 'status_5xx', ms: 3 }
        : { alive: true, ms: 3 };
    const report = await market.ended(await market.enqueue(offerId));
    market.pinged = signs;
    expect(report.refusal).toMatchObject({
      probe: 'plain_text',
      message: expect.stringMatching(/GET \/models.*it answered with status 500/) as string,
    });
  });

  it('certifies text alone where tools do not work', async () => {
    const offerId = await newOffer();
    observeOffer(offerId, (request) =>
      'tools' in request.body ? failing('status_4xx', { status: 400 }) : observeSmallModel(request),
    );
    const report = await market.ended(await market.enqueue(offerId));
    expect(report).toMatchObject({
      status: 'passed',
      result: { capabilities: { tools: false, structuredOutputs: true }, toolContract: null },
    });
    expect(statuses(report)).toMatchObject({ tool_auto: 'failed', strict_schemas: 'skipped' });
  });

  it('takes what an endpoint says that no database would', async () => {
    const offerId = await newOffer();
    observeOffer(offerId, () => failing('not_json', { received: 'a\0b\ud800' }, 'invalid'));
    const report = await market.ended(await market.enqueue(offerId));
    expect(report.probes[0]?.exchanges[0]?.reply).toBe('a\uFFFDb\uFFFD');
  });

  it('keeps verdicts for good, and exchanges of the last runs and of the one that counts', async () => {
    const offerId = await newOffer();
    const counts = await market.enqueue(offerId);
    await market.ended(counts);
    observeOffer(offerId, () => failing('status_4xx', { status: 404 }));
    const refused: string[] = [];
    for (let count = 0; count < 11; count++) {
      refused.push(await market.enqueue(offerId));
      await market.ended(refused.at(-1) ?? '');
    }
    const exchanges = async (id: string | undefined) =>
      (await market.report(id ?? '')).probes[0]?.exchanges.length;
    expect(await Promise.all([exchanges(counts), exchanges(refused[0]), exchanges(refused[1])])).toEqual([
      1, 0, 1,
    ]);
    expect((await market.report(refused[0] ?? '')).refusal?.probe).toBe('plain_text');
  });

  it('leaves what was found meanwhile, or too shortly before, to the canary after the pause', async () => {
    const offerId = await newOffer();
    await market.ended(await market.enqueue(offerId));
    let suspend!: () => Promise<unknown>;
    const suspended = new Promise((resolve) => {
      suspend = async () => {
        const [watchSince, retryAt] = [new Date(), new Date(Date.now() + 60_000)];
        const finding = { watchCode: 'usage_inflated', watchReason: 'x', watchSince, retryAt, retries: 1 };
        resolve(await market.prisma.offer.update({ where: { id: offerId }, data: finding }));
      };
    });
    // A renewal is under way when it is convicted.
    observeOffer(offerId, (request) => suspended.then(() => observeSmallModel(request)));
    const renewal = await market.enqueue(offerId);
    await eventually(() => askedFor(offerId).length > 0);
    await suspend();
    expect((await market.ended(renewal)).status).toBe('passed');
    const convicted = await market.offer(offerId);
    expect(convicted).toMatchObject({
      certificationId: renewal,
      watchCode: 'usage_inflated',
      retries: 1,
      nextCanaryAt: convicted.retryAt,
    });
    // Nor does signing it anew shorten the pause.
    await market.addVersion(offerId, 2, { endpoint: `http://${offerId}.example:8080/v2` });
    const anew = await market.enqueue(offerId, 'full', 2);
    expect((await market.ended(anew)).status).toBe('passed');
    expect(await market.offer(offerId)).toMatchObject({
      liveVersion: 2,
      watchCode: 'usage_inflated',
      watchSince: convicted.watchSince,
      retryAt: convicted.retryAt,
    });
    expect((await market.trail(offerId)).at(-1)).toBe(
      `catalog offer.certified: version 2 is certified by ${anew}; it stays suspended for usage_inflated`,
    );
    await endPause(offerId);
    expect((await market.ended(await market.enqueue(offerId, 'canary', 2))).status).toBe('passed');
    expect(await market.offer(offerId)).toMatchObject({ liveVersion: 2, watchCode: null, retryAt: null });
  });

  it('leaves a version alone that serves, but has watching look at it', async () => {
    const offerId = await newOffer();
    await market.ended(await market.enqueue(offerId));
    const before = await market.offer(offerId);
    observeOffer(offerId, () => failing('status_5xx', { status: 500 }));
    expect((await market.ended(await market.enqueue(offerId))).status).toBe('refused');
    const after = await market.offer(offerId);
    expect(after).toMatchObject({ liveVersion: 1, certificationId: before.certificationId, retries: 1 });
  });
});

describe('a run that is interrupted', () => {
  it('waits for dispatch, and refuses nobody for its absence', async () => {
    const offerId = await newOffer();
    await market.stopDispatch();
    const id = await market.enqueue(offerId);
    await eventually(async () =>
      /certifications_postponed_total\{service="catalog"\} [1-9]/.test(await metrics()),
    );
    expect(await market.report(id)).toMatchObject({ status: 'running', done: 0 });
    await market.startDispatch();
    expect((await market.ended(id)).status).toBe('passed');
  });

  it('waits for room at dispatch', async () => {
    const offerId = await newOffer();
    let refusals = 6;
    observeOffer(offerId, (request) => {
      if (refusals-- > 0) throw new Error('no room');
      return observeSmallModel(request);
    });
    expect((await market.ended(await market.enqueue(offerId))).status).toBe('passed');
  });

  it('waits while nearly no endpoint answers, a canary too, and holds nothing against anybody', async () => {
    const [watched, fresh] = [await newOffer(), await newOffer()];
    await market.ended(await market.enqueue(watched));
    const others = (answer: boolean) => {
      for (const provider of ['a', 'b', 'c', 'd', 'e']) {
        market.silentProviders.note(provider, 'https://other.example/v1', answer, performance.now());
      }
    };
    others(false);
    for (const id of [watched, fresh]) {
      observeOffer(id, () => failing('connect_failed', { sent: '', received: '', status: undefined }));
    }
    const asked = askedFor(watched).length;
    const runs = [await market.enqueue(watched, 'canary'), await market.enqueue(fresh)];
    await eventually(() => askedFor(watched).length > asked + 3 && askedFor(fresh).length > 3);
    for (const id of runs) expect(await market.report(id)).toMatchObject({ status: 'running', done: 0 });
    expect(await market.offer(watched)).toMatchObject({ watchCode: null, retries: 0 });
    others(true);
    market.observe = observeSmallModel;
    for (const id of runs) expect((await market.ended(id)).status).toBe('passed');
  });

  it('is gone on with by another instance, which does nothing twice', async () => {
    const offerId = await newOffer();
    let reached: () => void = () => undefined;
    const atStop = new Promise<void>((resolve) => (reached = resolve));
    observeOffer(offerId, (request) => {
      if (!asksWithStop(request)) return observeSmallModel(request);
      reached();
      return undefined;
    });
    const id = await market.enqueue(offerId);
    await atStop;
    await eventually(async () => (await market.report(id)).done >= 13);
    await market.stop(catalog);
    const asked = askedFor(offerId).length;
    market.observe = observeSmallModel;
    catalog = await market.startCatalog();
    const report = await market.ended(id);
    expect(report).toMatchObject({ status: 'passed', done: 16 });
    const again = askedFor(offerId).slice(asked);
    // What had not ended: `stop` (three requests), and what had no place beside it.
    expect(again.filter(asksWithStop)).toHaveLength(2);
    expect(again.length).toBeLessThanOrEqual(3 + 6);
  });

  it('is taken over when its runner is gone without a word', async () => {
    const offerId = await newOffer();
    const id = await market.enqueue(offerId);
    await market.ended(id);
    const asked = askedFor(offerId).length;
    // At once: it is taken up as soon as it can be.
    await market.prisma.$transaction([
      market.prisma.$executeRaw`
        UPDATE catalog.certifications SET status = 'running', finished_at = NULL, runner = 'dead', result = NULL,
          leased_until = now() - interval '1 s' WHERE id = ${id}`,
      market.prisma.$executeRaw`
        UPDATE catalog.certification_probes SET status = 'running' WHERE certification_id = ${id} AND name = 'stop'`,
    ]);
    // Of a runner that is gone nothing is in the way: neither its lease nor the probe it was at.
    expect((await market.ended(id)).status).toBe('passed');
    expect(askedFor(offerId).length).toBe(asked + 3);
  });

  it('is not run a second time beside itself, though its lease has run out', async () => {
    const offerId = await newOffer();
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    observeOffer(offerId, (request) => released.then(() => observeSmallModel(request)));
    const id = await market.enqueue(offerId);
    await eventually(() => askedFor(offerId).length > 0);
    // As it is found after the machine was suspended, or PostgreSQL's clock set forward.
    await market.prisma.certification.update({ where: { id }, data: { leasedUntil: new Date(0) } });
    // It has waited longer than these, which are taken all the same.
    for (let count = 0; count < 2; count++) await market.ended(await market.enqueue(await newOffer()));
    expect(askedFor(offerId)).toHaveLength(1);
    release();
    expect((await market.ended(id)).status).toBe('passed');
  });

  it('goes on after the database was away', async () => {
    const offerId = await newOffer();
    let cut = false;
    observeOffer(offerId, async (request) => {
      if (!cut) {
        cut = true;
        await cutDatabase();
      }
      return observeSmallModel(request);
    });
    expect((await market.ended(await market.enqueue(offerId))).status).toBe('passed');
  });

  it('stops when the offer is signed anew', async () => {
    const offerId = await newOffer();
    let reached: () => void = () => undefined;
    const atStop = new Promise<void>((resolve) => (reached = resolve));
    let answer: () => void = () => undefined;
    observeOffer(offerId, (request) => {
      if (!asksWithStop(request) || request.endpoint.includes('never')) return observeSmallModel(request);
      reached();
      return new Promise((resolve) => (answer = () => resolve(observeSmallModel(request))));
    });
    const first = await market.enqueue(offerId);
    await atStop;
    await market.addVersion(offerId, 2);
    market.observe = observeSmallModel;
    const second = await market.enqueue(offerId, 'full', 2);
    answer();
    expect((await market.ended(second)).status).toBe('passed');
    expect(await market.report(first)).toMatchObject({ status: 'abandoned' });
    expect(await market.offer(offerId)).toMatchObject({ liveVersion: 2, certificationId: second });
  });
});

describe('a provider with many offers that drag their feet', () => {
  it('keeps nobody else waiting, neither new offers nor canaries', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slow = await Promise.all(Array.from({ length: 8 }, newOffer));
    for (const offerId of slow) {
      observeOffer(offerId, (request) => released.then(() => observeSmallModel(request)));
    }
    const runs = await Promise.all(slow.map((offerId) => market.enqueue(offerId)));
    const running = async () => {
      const reports = await Promise.all(runs.map((id) => market.report(id)));
      return reports.filter(({ status }) => status === 'running').length;
    };
    // Of four places one is kept for canaries and renewals, and one for other providers.
    await eventually(async () => (await running()) === 2);
    const offerId = `offer-${++offers}`;
    await market.addVersion(offerId, 1, { providerWallet: ANOTHER_PROVIDER });
    expect((await market.ended(await market.enqueue(offerId))).status).toBe('passed');
    expect((await market.ended(await market.enqueue(offerId, 'canary'))).status).toBe('passed');
    expect(await running()).toBe(2);
    release();
    for (const id of runs) expect((await market.ended(id)).status).toBe('passed');
  });
});

describe('places', () => {
  let provider = 0;
  const offerOf = async (providerWallet?: string, endpoint?: string): Promise<string> => {
    const id = `offer-${++offers}`;
    const wallet = providerWallet ?? `0x${(0xc0ffee + ++provider).toString(16).padStart(40, '0')}`;
    await market.prisma.provider.createMany({ data: [{ wallet, name: id }], skipDuplicates: true });
    await market.addVersion(id, 1, { providerWallet: wallet, ...(endpoint !== undefined && { endpoint }) });
    return id;
  };
  const statusOf = async (id: string) => (await market.report(id)).status;

  it('are kept for canaries and renewals, which come before what is new', async () => {
    const [watched, renewed] = [await offerOf(), await offerOf()];
    await market.ended(await market.enqueue(watched));
    await market.ended(await market.enqueue(renewed));
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slow = await Promise.all(Array.from({ length: 6 }, () => offerOf()));
    for (const id of slow) observeOffer(id, (request) => released.then(() => observeSmallModel(request)));
    const runs = await Promise.all(slow.map((id) => market.enqueue(id)));
    const count = async () =>
      (await Promise.all(runs.map(statusOf))).filter((status) => status === 'running').length;
    await eventually(async () => (await count()) === 3);
    expect((await market.ended(await market.enqueue(watched, 'canary'))).status).toBe('passed');
    expect((await market.ended(await market.enqueue(renewed))).status).toBe('passed');
    expect(await count()).toBe(3);
    release();
    for (const id of runs) expect((await market.ended(id)).status).toBe('passed');
  });

  it('go to who has none, also at one server, and not to who is suspended', async () => {
    await market.stop(catalog);
    const server = 'http://one-server.example';
    const wallet = `0x${'e'.repeat(40)}`;
    const first = await offerOf(wallet, `${server}/a/v1`);
    const same = await offerOf(wallet);
    const beside = await offerOf(undefined, `${server.toUpperCase().replace('HTTP', 'http')}:80/b/v1`);
    const other = await offerOf();
    const barred = `0x${'d'.repeat(40)}`;
    const suspended = await offerOf(barred);
    await market.prisma.provider.update({
      where: { wallet: barred },
      data: { suspendedAt: new Date(), suspensionReason: 'fraud' },
    });
    const begun: string[] = [];
    const answers = new Map<string, () => void>();
    market.observe = (request) => {
      const { upstreamModel } = request;
      if (begun.includes(upstreamModel)) return observeSmallModel(request);
      begun.push(upstreamModel);
      return new Promise((resolve) => answers.set(upstreamModel, () => resolve(observeSmallModel(request))));
    };
    const barredRun = await market.enqueue(suspended);
    const runs: string[] = [];
    for (const id of [first, same, beside, other]) runs.push(await market.enqueue(id));
    catalog = await market.startCatalog();
    await eventually(() => begun.length === 3);
    // Whoever is first of its provider and its server; then, as nobody else waits, one more. They ask in any order.
    expect(new Set(begun)).toEqual(new Set([first, other, same]));
    expect(await statusOf(barredRun)).toBe('queued');
    await eventually(async () => {
      for (const answer of answers.values()) answer();
      return (await Promise.all(runs.map(statusOf))).every((status) => status === 'passed');
    });
    expect(await statusOf(barredRun)).toBe('queued');
    await market.prisma.provider.update({
      where: { wallet: barred },
      data: { suspendedAt: null, suspensionReason: null },
    });
    market.observe = observeSmallModel;
    expect((await market.ended(barredRun)).status).toBe('passed');
  });
});

describe('a run that takes too long', () => {
  it('is refused, on whichever instance it is run', async () => {
    await market.stop(catalog);
    // As much as any machine takes for the probes before the one that hangs.
    catalog = await market.startCatalog({ certificationRunTimeoutMs: 6_000 });
    const offerId = await newOffer();
    observeOffer(offerId, (request) =>
      asksWithStop(request) ? new Promise(() => undefined) : observeSmallModel(request),
    );
    const report = await market.ended(await market.enqueue(offerId));
    expect(report).toMatchObject({ status: 'refused', refusal: { probe: 'stop' } });
    expect(report.refusal?.message).toMatch(/had not come to an end after/);
    const { workedMs, seed, ...run } = await market.prisma.certification.findUniqueOrThrow({
      where: { id: report.id },
    });
    expect([run.status, workedMs >= 400, JSON.stringify(report).includes(seed)]).toEqual([
      'refused',
      true,
      false,
    ]);
    await market.stop(catalog);
    catalog = await market.startCatalog();
  });
});

describe('a version that serves clients', () => {
  it('is certified anew when it is less busy, and what was done is not done again', async () => {
    const offerId = await newOffer();
    await market.ended(await market.enqueue(offerId));
    const counting = ({ maxTokens }: ProbeCallRequest) => maxTokens === 4 || maxTokens === 32;
    observeOffer(offerId, (request) =>
      counting(request) ? failing('status_429', { status: 429 }) : observeSmallModel(request),
    );
    const id = await market.enqueue(offerId);
    const row = () => market.prisma.certification.findUniqueOrThrow({ where: { id } });
    for (const busyTimes of [1, 2, 3]) {
      await eventually(async () => (await row()).busyTimes === busyTimes);
      await market.prisma.certification.update({ where: { id }, data: { leasedUntil: new Date(0) } });
    }
    const report = await market.ended(id);
    expect(report).toMatchObject({ status: 'passed', result: { concurrency: 4 } });
    expect(report.probes.find(({ name }) => name === 'concurrency')?.message).toMatch(/certified stands/);
  });
});

describe('two instances', () => {
  it('never run the same certification', async () => {
    const other = await market.startCatalog();
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const offerId = await newOffer();
        return { offerId, id: await market.enqueue(offerId) };
      }),
    );
    for (const { id } of ids) expect((await market.ended(id)).status).toBe('passed');
    // Each asked as much as one run asks.
    expect(new Set(ids.map(({ offerId }) => askedFor(offerId).length)).size).toBe(1);
    const trails = await Promise.all(ids.map(({ offerId }) => market.trail(offerId)));
    expect(trails.every((trail) => trail.length === 1)).toBe(true);
    await market.stop(other);
  });
});

describe('a canary', () => {
  const certifiedOffer = async () => {
    const offerId = await newOffer();
    await market.ended(await market.enqueue(offerId));
    return offerId;
  };

  it('repeats a few probes, keeps the last report, and moves nothing', async () => {
    const offerId = await certifiedOffer();
    const before = await market.offer(offerId);
    const first = await market.enqueue(offerId, 'canary');
    expect(statuses(await market.ended(first))).toEqual({
      plain_text: 'passed',
      stream_text: 'passed',
      usage_honesty: 'passed',
      tool_required: 'passed',
      tool_function: 'passed',
    });
    const second = await market.enqueue(offerId, 'canary');
    expect((await market.ended(second)).status).toBe('passed');
    await expect(market.report(first)).rejects.toMatchObject({
      payload: { code: 'invalid_request', status: 404 },
    });
    const { liveVersion, certificationId } = await market.offer(offerId);
    expect([liveVersion, certificationId]).toEqual([1, before.certificationId]);
  });

  it('that fails twice takes the offer off the market, and one that passes puts it back', async () => {
    const offerId = await certifiedOffer();
    observeOffer(offerId, () => failing('status_5xx', { status: 500 }));
    for (const retries of [1, 0]) {
      const report = await market.ended(await market.enqueue(offerId, 'canary'));
      expect(report).toMatchObject({ status: 'refused', refusal: { probe: 'plain_text' } });
      expect((await market.offer(offerId)).retries).toBe(retries);
    }
    expect((await market.offer(offerId)).watchCode).toBe('drift');
    market.observe = observeSmallModel;
    await endPause(offerId);
    await market.ended(await market.enqueue(offerId, 'canary'));
    expect((await market.offer(offerId)).watchCode).toBeNull();
  });

  it.each([
    ['that may pass', failing('connect_failed', { status: undefined }), 60],
    ['that will not', failing('status_4xx', { status: 404 }), 0],
  ])('that fails for what %s is made again in so many seconds: %j, %i', async (_, observation, seconds) => {
    const offerId = await certifiedOffer();
    observeOffer(offerId, () => observation);
    await market.ended(await market.enqueue(offerId, 'canary'));
    const { retries, nextCanaryAt } = await market.offer(offerId);
    expect(retries).toBe(1);
    expect((Number(nextCanaryAt) - Date.now()) / 1_000).toBeCloseTo(seconds, -1);
  });

  it('says nothing of an endpoint that is full with clients', async () => {
    const offerId = await certifiedOffer();
    observeOffer(offerId, () => failing('status_429', { status: 429 }));
    const report = await market.ended(await market.enqueue(offerId, 'canary'));
    expect(report.status).toBe('abandoned');
    expect(await market.offer(offerId)).toMatchObject({ retries: 0, watchCode: null });
  });

  it('has failed where three in a row meet a busy endpoint that serves nobody', async () => {
    const offerId = await certifiedOffer();
    observeOffer(offerId, () => failing('status_429', { status: 429 }));
    const outcomes = [];
    for (let count = 0; count < 4; count++) {
      outcomes.push((await market.ended(await market.enqueue(offerId, 'canary'))).status);
    }
    expect(outcomes).toEqual(['abandoned', 'abandoned', 'refused', 'refused']);
    const offer = await market.offer(offerId);
    expect(offer).toMatchObject({ watchCode: 'drift', busyCanaries: 4 });
    expect(offer.watchReason).toMatch(/answered with status 429/);
    market.observe = observeSmallModel;
    await endPause(offerId);
    await market.ended(await market.enqueue(offerId, 'canary'));
    expect(await market.offer(offerId)).toMatchObject({ watchCode: null, busyCanaries: 0, busySince: null });
  });

  it('that another instance has taken over does not count as one more that was busy', async () => {
    const offerId = await certifiedOffer();
    const busy = { busyCanaries: 2, busySince: new Date() };
    await market.prisma.offer.update({ where: { id: offerId }, data: busy });
    const id = 'cert_taken_over';
    const canary = { id, offerId, version: 1, kind: 'canary', meteringVersion: 1 } as const;
    const lease = { runner: 'another', leasedUntil: new Date(Date.now() + 3_600_000) };
    await market.prisma.certification.create({ data: { ...canary, ...lease, status: 'running' } });
    const job = { id, offerId, startedAt: new Date() } as RunJob;
    await expect(catalog.app.get(CertificationEndings).endBusyCanary(job)).rejects.toThrow(RunLostError);
    expect(await market.offer(offerId)).toMatchObject({ ...busy, watchCode: null, retries: 0 });
    await market.prisma.certification.delete({ where: { id } });
  });

  it('is forgiven for being busy while clients are served', async () => {
    const offerId = await certifiedOffer();
    const health = catalog.app.get(OfferHealthView);
    observeOffer(offerId, () => {
      // Each canary asks three times, within a second and a half.
      health.record(healthOf(offerId, { succeeded: 1 }));
      return failing('status_429', { status: 429 });
    });
    for (let count = 0; count < 3; count++) {
      expect((await market.ended(await market.enqueue(offerId, 'canary'))).status).toBe('abandoned');
      expect(await market.offer(offerId)).toMatchObject({ watchCode: null, retries: 0, busyCanaries: 0 });
    }
  });

  it('is not stopped by new versions that take their time', async () => {
    const offerId = await certifiedOffer();
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    observeOffer(offerId, async (request) => {
      if (request.endpoint.includes('slow')) await released;
      return observeSmallModel(request);
    });
    await market.stopDispatch();
    const canary = await market.enqueue(offerId, 'canary');
    for (const version of [2, 3]) {
      await market.addVersion(offerId, version, { endpoint: 'http://slow.example/v1' });
      await market.enqueue(offerId, 'full', version);
    }
    await market.startDispatch();
    const { status, version } = await market.ended(canary);
    release();
    expect({ status, version }).toEqual({ status: 'passed', version: 1 });
  });

  it('is over when a new version was certified meanwhile', async () => {
    const offerId = await certifiedOffer();
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    observeOffer(offerId, (request) =>
      request.endpoint.includes('new')
        ? observeSmallModel(request)
        : released.then(() => failing('not_json')),
    );
    const canary = await market.enqueue(offerId, 'canary');
    await market.addVersion(offerId, 2, { endpoint: 'http://new.example/v1' });
    expect((await market.ended(await market.enqueue(offerId, 'full', 2))).status).toBe('passed');
    release();
    expect((await market.ended(canary)).status).toBe('abandoned');
    expect(await market.offer(offerId)).toMatchObject({ liveVersion: 2, retries: 0 });
  });
});

describe('what it shows', () => {
  it('has no report of what is not there', async () => {
    await expect(market.report('cert_nothing')).rejects.toMatchObject({
      payload: { code: 'invalid_request', status: 404, param: 'certificationId' },
    });
  });

  it('counts', async () => {
    const shown = await metrics();
    expect(shown).toMatch(
      /svc_catalog_certifications_total\{kind="full",outcome="passed",service="catalog"\} [1-9]/,
    );
    expect(shown).toMatch(/svc_catalog_certification_seconds_count\{service="catalog",kind="canary"\} [1-9]/);
    expect(shown).toMatch(
      /svc_catalog_probe_failures_total\{kind="canary",probe="plain_text",service="catalog"\} [1-9]/,
    );
    await eventually(async () =>
      /svc_catalog_certifications_open\{service="catalog"\} 0/.test(await metrics()),
    );
  });
});

async function metrics(): Promise<string> {
  return (await fetch(`${await catalog.app.getUrl()}/metrics`)).text();
}

async function cutDatabase(): Promise<void> {
  const admin = new Client({ connectionString: market.database.adminUrl });
  await admin.connect();
  await admin.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
    [market.database.name],
  );
  await admin.end();
}
