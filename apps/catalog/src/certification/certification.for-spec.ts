import { catalogContracts, probeContracts } from '@svc/contracts';
import type {
  CertificationKind,
  CertificationReport,
  PingEndpointRequest,
  PingedEndpoint,
  ProbeCallRequest,
  ProbeObservation,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import type { ListeningService } from '@svc/service-host';
import { PrivateNats, createTestDatabase, eventually, refuseCall } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import type { Msg, Subscription } from 'nats';
import { startCatalogPart } from '../catalog-part.for-spec';
import { CatalogConfig } from '../catalog.config';
import { enqueueCertification } from '../certification-queue/certification-queue';
import { SilentProviders } from '../watch/heartbeat/silent-providers';
import { CertificationModule } from './certification.module';
import { observeSmallModel } from './small-model.for-spec';

export const PROVIDER = `0x${'a'.repeat(40)}`;
export const ANOTHER_PROVIDER = `0x${'b'.repeat(40)}`;
const HOUR_MS = 3_600_000;

/** What a version may say otherwise. */
interface OfferTerms {
  /** `PROVIDER` unless told. */
  providerWallet: string;
  endpoint: string;
  upstreamModel: string;
  credential: string | null;
  concurrency: number;
  firstTokenTimeoutMs: number;
  chunkTimeoutMs: number;
}

/** What a probe's call is answered with: an observation, or nothing at all. */
export type Dispatcher = (
  request: ProbeCallRequest,
) => ProbeObservation | Promise<ProbeObservation> | undefined;

/** Offers in a database, a NATS server, a dispatch that observes as told, and instances of the catalogue that certify. */
export class CertifyingMarket {
  /** What dispatch was asked, oldest first. */
  readonly asked: ProbeCallRequest[] = [];
  published = 0;
  /** How dispatch answers; may be changed at any time. */
  observe: Dispatcher = observeSmallModel;
  /** Whether an endpoint shows a sign of life. */
  pinged: (request: PingEndpointRequest) => PingedEndpoint = () => ({ alive: true, status: 200, ms: 5 });
  /** What heartbeats hear, if there were any. */
  readonly silentProviders = new SilentProviders(HOUR_MS);
  private dispatch!: Messaging;
  private rpc!: RpcClient;
  private subscriptions: Subscription[] = [];
  private nonces = 0n;
  private readonly instances: ListeningService[] = [];

  private constructor(
    readonly nats: PrivateNats,
    readonly database: TestDatabase,
    readonly prisma: PrismaClient,
  ) {}

  static async open(): Promise<CertifyingMarket> {
    const database = await createTestDatabase();
    const prisma = createPrismaClient(database.catalogUrl);
    const market = new CertifyingMarket(await PrivateNats.start(), database, prisma);
    market.dispatch = await market.nats.connectAs('dispatch');
    market.rpc = new RpcClient(await market.nats.connectAs('gateway'));
    await market.startDispatch();
    await market.define();
    return market;
  }

  async close(): Promise<void> {
    for (const { app } of this.instances) await app.close();
    await this.nats.close();
    await this.prisma.$disconnect();
    await this.database.drop();
  }

  /** Starts one more instance of the catalogue, with nothing in it but certification. */
  async startCatalog(settings: Partial<CatalogConfig> = {}): Promise<ListeningService> {
    const config = Object.assign(new CatalogConfig(), {
      httpPort: 0,
      databaseUrl: this.database.catalogUrl,
      certificationMaxArgumentBytes: 1_024,
      certificationRetryMs: 50,
      ...settings,
    });
    const part = CertificationModule.forService(config, this.silentProviders);
    const service = await startCatalogPart(this.nats, config, part, () => this.published++);
    this.instances.push(service);
    return service;
  }

  /** As on SIGTERM. */
  async stop(service: ListeningService): Promise<void> {
    this.instances.splice(this.instances.indexOf(service), 1);
    await service.strategy.close();
    await service.app.close();
  }

  /** From here on whoever asks is answered. */
  async startDispatch(): Promise<void> {
    const { connection } = this.dispatch;
    this.subscriptions = [
      connection.subscribe(probeContracts.call.subject, {
        queue: probeContracts.call.queue,
        callback: (_error, message) => void this.answer(message),
      }),
      connection.subscribe(probeContracts.ping.subject, {
        queue: probeContracts.ping.queue,
        callback: (_error, message) => {
          message.respond(JSON.stringify(this.pinged(message.json<PingEndpointRequest>())));
        },
      }),
    ];
    await connection.flush();
  }

  /** From here on whoever asks hears that nobody is there, instead of nothing for minutes. */
  async stopDispatch(): Promise<void> {
    for (const subscription of this.subscriptions) subscription.unsubscribe();
    await this.dispatch.connection.flush();
  }

  /** A version of an offer as a provider signed it; the first makes the offer. */
  async addVersion(offerId: string, version = 1, terms: Partial<OfferTerms> = {}): Promise<void> {
    const { providerWallet = PROVIDER } = terms;
    await this.prisma.$transaction(async (tx) => {
      if (version === 1) {
        await tx.profile.create({
          data: { id: offerId, hardwareClass: 'cpu', contextLimit: 8_192, speedTier: 'standard' },
        });
        await tx.offer.create({
          data: { id: offerId, providerWallet, bundleId: 'tiny-q4', profileId: offerId, version },
        });
      } else {
        await tx.offer.update({ where: { id: offerId }, data: { version } });
      }
      await tx.offerVersion.create({
        data: {
          offerId,
          version,
          providerWallet,
          endpoint: `http://${offerId}.example:8080/v1`,
          upstreamModel: offerId,
          credential: 'sealed',
          inputPricePerMtok: 100n,
          outputPricePerMtok: 400n,
          concurrency: 4,
          contextLimit: 8_192,
          firstTokenTimeoutMs: 1_000,
          chunkTimeoutMs: 1_000,
          expiresAt: new Date(Date.now() + HOUR_MS),
          nonce: ++this.nonces,
          digest: `0x${'0'.repeat(64)}`,
          signature: '0x00',
          ...terms,
        },
      });
    });
  }

  enqueue(offerId: string, kind: CertificationKind = 'full', version = 1): Promise<string> {
    return this.prisma.$transaction((tx) => enqueueCertification(tx, { offerId, version, kind }));
  }

  /** As the gateway asks. */
  report(certificationId: string): Promise<CertificationReport> {
    return this.rpc.call(catalogContracts.showCertification, { certificationId }, { timeoutMs: 10_000 });
  }

  /** Waits for the run's end. */
  ended(certificationId: string): Promise<CertificationReport> {
    return eventually(
      async () => {
        const report = await this.report(certificationId);
        return report.finishedAt !== undefined && report;
      },
      { timeoutMs: 40_000 },
    );
  }

  offer(id: string) {
    return this.prisma.offer.findUniqueOrThrow({ where: { id } });
  }

  /** What the audit trail says of an offer, oldest first. */
  async trail(subject: string): Promise<string[]> {
    const rows = await this.prisma.audit.findMany({ where: { subject }, orderBy: { id: 'asc' } });
    return rows.map(({ actor, action, reason }) => `${actor} ${action}: ${reason ?? ''}`);
  }

  private async answer(message: Msg): Promise<void> {
    const request = message.json<ProbeCallRequest>();
    this.asked.push(request);
    try {
      const observation = await this.observe(request);
      if (observation) message.respond(JSON.stringify(observation));
    } catch {
      refuseCall(message, { code: 'no_capacity', message: 'Too many probes.' });
    }
  }

  private async define(): Promise<void> {
    await this.prisma.catalogModel.create({
      data: {
        id: 'svc/tiny@1',
        ownedBy: 'svc',
        contextLimit: 8_192,
        workload: 'chat',
        tools: true,
        structuredOutputs: true,
        reasoning: false,
        streaming: true,
        maxOutputTokens: 4_096,
      },
    });
    await this.prisma.bundle.create({
      data: {
        id: 'tiny-q4',
        modelId: 'svc/tiny@1',
        weightsDigest: 'sha256:1',
        quantisation: 'q4',
        engine: 'e',
      },
    });
    await this.prisma.provider.createMany({
      data: [
        { wallet: PROVIDER, name: 'Alice' },
        { wallet: ANOTHER_PROVIDER, name: 'Bob' },
      ],
    });
  }
}
