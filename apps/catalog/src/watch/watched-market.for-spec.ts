import { DISPATCH_SUBJECTS, probeContracts } from '@svc/contracts';
import type { HealthReport, OfferHealthReport, PingEndpointRequest, PingedEndpoint } from '@svc/contracts';
import type { Messaging } from '@svc/messaging';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import type { ListeningService } from '@svc/service-host';
import { PrivateNats, createTestDatabase, eventually, refuseCall } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import type { Subscription } from 'nats';
import { startCatalogPart } from '../catalog-part.for-spec';
import { CatalogConfig } from '../catalog.config';
import { recordCanary } from './canary/canary-outcome';
import { healthOf } from './health/offer-health.for-spec';
import { SilentProviders } from './heartbeat/silent-providers';
import { WatchModule } from './watch.module';

const PROVIDER = `0x${'a'.repeat(40)}`;
const HOUR_MS = 3_600_000;

/** Publications that were asked for. */
export const published = { times: 0 };

/** What an offer is made of, where it matters. */
interface OfferSeed {
  id: string;
  /** Its own unless told. */
  endpoint?: string;
  /** All are one provider's unless told. */
  provider?: string;
  certifiedForMs?: number;
  expiresInMs?: number;
  nextCanaryInMs?: number;
  missedHeartbeats?: number;
}

/** Certified offers in a database, a NATS server, and a dispatch that pings as told. */
export class WatchedMarket {
  /** Of every ping, the endpoint's name and when it came. */
  readonly pings: { endpoint: string; atMs: number }[] = [];
  /** Endpoints that do not answer. */
  readonly silent = new Set<string>();
  silentFor = 'connect_failed';
  private dispatch!: Messaging;
  private pinging: Subscription | undefined;
  private readonly instances: ListeningService[] = [];

  private constructor(
    readonly nats: PrivateNats,
    readonly database: TestDatabase,
    readonly prisma: PrismaClient,
  ) {}

  static async open(): Promise<WatchedMarket> {
    const database = await createTestDatabase();
    const prisma = createPrismaClient(database.catalogUrl);
    const market = new WatchedMarket(await PrivateNats.start(), database, prisma);
    market.dispatch = await market.nats.connectAs('dispatch');
    market.startDispatch();
    await market.define();
    return market;
  }

  async close(): Promise<void> {
    for (const { app } of this.instances) await app.close();
    await this.nats.close();
    await this.prisma.$disconnect();
    await this.database.drop();
  }

  /** Starts one more instance of the catalogue, with nothing in it but watching. */
  async startCatalog(settings: Partial<CatalogConfig>): Promise<ListeningService> {
    const config = Object.assign(new CatalogConfig(), {
      httpPort: 0,
      databaseUrl: this.database.catalogUrl,
      canaryMs: HOUR_MS,
      ...settings,
    });
    const part = WatchModule.forService(config, new SilentProviders(config.heartbeatMs));
    const service = await startCatalogPart(this.nats, config, part, () => published.times++);
    this.instances.push(service);
    return service;
  }

  async stop(service: ListeningService): Promise<void> {
    this.instances.splice(this.instances.indexOf(service), 1);
    await service.app.close();
  }

  /** @param how `refuses`: answers every call with an error of its own */
  startDispatch(how: 'pings' | 'refuses' = 'pings'): void {
    this.pinging = this.dispatch.connection.subscribe(probeContracts.ping.subject, {
      queue: probeContracts.ping.queue,
      callback: (_error, message) => {
        if (how === 'pings') {
          message.respond(JSON.stringify(this.answer(message.json<PingEndpointRequest>())));
          return;
        }
        refuseCall(message, { code: 'no_capacity', message: 'busy' });
      },
    });
  }

  /** From here on whoever asks hears that nobody is there. */
  async stopDispatch(): Promise<void> {
    this.pinging?.unsubscribe();
    await this.dispatch.connection.flush();
  }

  /** Real traffic, as a dispatch instance tells of it. */
  tell(offerId: string, outcomes: Partial<OfferHealthReport>): void {
    const report: HealthReport = { instanceId: 'one', offers: [healthOf(offerId, outcomes)] };
    this.dispatch.connection.publish(DISPATCH_SUBJECTS.health, JSON.stringify(report));
  }

  async addOffers(...seeds: OfferSeed[]): Promise<void> {
    const now = Date.now();
    for (const seed of seeds) {
      const { id, endpoint = seed.id, certifiedForMs = 24 * HOUR_MS, expiresInMs = 24 * HOUR_MS } = seed;
      const { provider = PROVIDER } = seed;
      await this.prisma.$transaction(async (tx) => {
        await tx.provider.createMany({ data: [{ wallet: provider, name: 'Bob' }], skipDuplicates: true });
        await tx.$executeRaw`
          INSERT INTO catalog.profiles (id, hardware_class, context_limit, speed_tier) VALUES (${id}, 'cpu', 8192, 'standard')`;
        await tx.$executeRaw`
          INSERT INTO catalog.offers (id, provider_wallet, bundle_id, profile_id, version, live_version, certification_id,
            certified_until, next_canary_at, missed_heartbeats)
          VALUES (${id}, ${provider}, 'tiny-q4', ${id}, 1, 1, 'cert_0', ${new Date(now + certifiedForMs)},
            ${new Date(now + (seed.nextCanaryInMs ?? HOUR_MS))}, ${seed.missedHeartbeats ?? 0})`;
        await tx.$executeRaw`
          INSERT INTO catalog.offer_versions (offer_id, version, provider_wallet, endpoint, upstream_model, input_price_per_mtok,
            output_price_per_mtok, concurrency, context_limit, first_token_timeout_ms, chunk_timeout_ms, expires_at, nonce, digest,
            signature)
          VALUES (${id}, 1, ${provider}, ${endpointUrl(endpoint)}, 'tiny', 1, 1, 8, 8192, 1000, 1000,
            ${new Date(now + expiresInMs)}, (SELECT count(*) + 1 FROM catalog.offer_versions), ${`0x${'0'.repeat(64)}`}, '0x')`;
      });
    }
  }

  async suspendProviders(...wallets: string[]): Promise<void> {
    await this.prisma.provider.updateMany({
      where: { wallet: { in: wallets } },
      data: { suspendedAt: new Date(), suspensionReason: 'fraud' },
    });
  }

  offer(id: string) {
    return this.prisma.offer.findUniqueOrThrow({ where: { id } });
  }

  /** Until watching says so of an offer; null: nothing. */
  untilWatched(id: string, code: string | null) {
    return eventually(async () => {
      const offer = await this.offer(id);
      return offer.watchCode === code && offer;
    });
  }

  /** Until a canary of an offer was ordered. */
  untilCanary(offerId: string): Promise<boolean> {
    return eventually(async () => (await this.canariesOf(offerId)) > 0, { timeoutMs: 20_000 });
  }

  canariesOf(offerId: string): Promise<number> {
    return this.prisma.certification.count({ where: { offerId, kind: 'canary' } });
  }

  /** What the audit trail says of an offer, in order: `action reason`. */
  async trail(subject: string): Promise<string[]> {
    const entries = await this.prisma.audit.findMany({ where: { subject }, orderBy: { id: 'asc' } });
    return entries.map(({ actor, action, reason }) => `${actor} ${action} ${reason ?? ''}`);
  }

  /** Ends the canary that is queued for an offer, as a runner does. */
  async endCanary(offerId: string, passed: boolean): Promise<string> {
    const { id, requestedAt } = await eventually(
      async () =>
        (await this.prisma.certification.findFirst({
          where: { offerId, kind: 'canary', status: 'queued' },
        })) ?? undefined,
      { timeoutMs: 20_000 },
    );
    const refusal = { refusalProbe: 'plain_text', refusalMessage: 'It said nothing.' };
    return this.prisma.$transaction(async (tx) => {
      const status = passed ? 'passed' : 'refused';
      await tx.certification.update({
        where: { id },
        data: { status, finishedAt: new Date(), ...(!passed && refusal) },
      });
      const failure = { probe: refusal.refusalProbe, message: refusal.refusalMessage };
      return recordCanary(tx, { offerId, requestedAt, passed, ...(!passed && failure) });
    });
  }

  pingsOf(endpoint: string): number[] {
    return this.pings.filter((ping) => ping.endpoint === endpoint).map(({ atMs }) => atMs);
  }

  private answer({ endpoint }: PingEndpointRequest): PingedEndpoint {
    const name = new URL(endpoint).hostname.split('.')[0] ?? '';
    this.pings.push({ endpoint: name, atMs: performance.now() });
    if (this.silent.has(name)) return { alive: false, reason: this.silentFor, ms: 1 };
    return { alive: true, status: 200, ms: 1 };
  }

  private async define(): Promise<void> {
    await this.prisma.catalogModel.create({
      data: {
        id: 'svc/tiny@1',
        ownedBy: 'svc',
        contextLimit: 8_192,
        workload: 'chat',
        tools: false,
        structuredOutputs: false,
        reasoning: false,
        streaming: true,
        maxOutputTokens: 4_096,
      },
    });
    await this.prisma.bundle.create({
      data: { id: 'tiny-q4', modelId: 'svc/tiny@1', weightsDigest: 'x', quantisation: 'q4', engine: 'x' },
    });
    await this.prisma.provider.create({ data: { wallet: PROVIDER, name: 'Alice' } });
  }
}

function endpointUrl(name: string): string {
  return `https://${name}.example/v1`;
}

/** A figure of an instance's /metrics; 0 when it is not there. */
export async function metricOf({ app }: ListeningService, name: string, label: string): Promise<number> {
  const text = await (await fetch(`${await app.getUrl()}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(`"${label}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}
