import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { CATALOG_BUCKETS, catalogContracts, catalogKey, probeContracts } from '@svc/contracts';
import type {
  ApplyCatalogueRequest,
  CertifiedScope,
  CheckedEndpoint,
  ModelView,
  OfferView,
  RpcContract,
} from '@svc/contracts';
import { KvView, MessagingModule, RpcClient } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { ObservabilityModule, createLogger } from '@svc/observability';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { listenService } from '@svc/service-host';
import type { ListeningService, ServiceParts } from '@svc/service-host';
import { PrivateNats, createTestDatabase, eventually, testChain } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { AuditModule } from './audit/audit.module';
import { CatalogConfig } from './catalog.config';
import { CatalogueModule } from './catalogue/catalogue.module';
import { DatabaseModule } from './database/database.module';
import { MarketModule } from './market/market.module';
import { OfferModule } from './offer/offer.module';
import { OperationModule } from './operation/operation.module';
import { OverviewModule } from './overview/overview.module';
import { ProviderModule } from './provider/provider.module';
import { scopeOf } from './publication/certified-offer.for-spec';
import { PublicationModule } from './publication/publication.module';
import { PublicationService } from './publication/publication.service';
import { SignatureModule } from './signature/signature.module';

const DAY_MS = 24 * 3_600_000;
/** As specs call, who know what they wait for: others would have given up a machine that stands still. */
const PATIENTLY = { timeoutMs: 30_000 };
export const SETTLEMENT = `0x${'5'.repeat(40)}`;

/** The catalogue without what runs probes and watches: specs certify themselves. */
@Module({})
class SupplyRoot {
  static forService({ config, logger, messaging }: ServiceParts<CatalogConfig>): DynamicModule {
    const database = DatabaseModule.forService(config, logger);
    return {
      module: SupplyRoot,
      imports: [
        MessagingModule.forConnection(messaging),
        database,
        AuditModule,
        PublicationModule.forService(config),
        SignatureModule.forService(config),
        CatalogueModule,
        ProviderModule,
        OfferModule.forService(config),
        OperationModule,
        MarketModule,
        OverviewModule,
        ObservabilityModule.forService({
          service: 'catalog',
          logger,
          imports: [],
          inject: [],
          readiness: () => [],
        }),
      ],
    };
  }
}

/** A catalogue on servers of a spec's own, and everybody who speaks to it. */
export class SupplyMarket {
  /** What dispatch says of endpoints; undefined: it does not answer. */
  permit: ((endpoint: string) => CheckedEndpoint) | undefined = () => ({ permitted: true });
  catalog!: ListeningService;
  /** Reads the buckets. */
  observer!: Messaging;
  private operator!: RpcClient;
  private gateway!: RpcClient;
  private readonly instances: ListeningService[] = [];
  private readonly views: KvView<unknown>[] = [];
  models!: KvView<ModelView>;
  offers!: KvView<OfferView>;

  private constructor(
    readonly nats: PrivateNats,
    readonly database: TestDatabase,
    readonly prisma: PrismaClient,
  ) {}

  static async open(config: Partial<CatalogConfig> = {}): Promise<SupplyMarket> {
    const database = await createTestDatabase();
    const prisma = createPrismaClient(database.catalogUrl);
    const market = new SupplyMarket(await PrivateNats.start(), database, prisma);
    await market.startDispatch();
    market.catalog = await market.startCatalog(config);
    market.observer = await market.nats.connectAs('catalog');
    market.operator = new RpcClient(await market.nats.connectAs('setup'));
    market.gateway = new RpcClient(await market.nats.connectAs('gateway'));
    market.models = market.follow(await market.nats.connectAs('gateway'), CATALOG_BUCKETS.models);
    market.offers = market.follow(await market.nats.connectAs('cortex'), CATALOG_BUCKETS.offers);
    await eventually(() => market.models.loaded && market.offers.loaded, { timeoutMs: 20_000 });
    return market;
  }

  /** Starts one more instance. */
  async startCatalog(config: Partial<CatalogConfig> = {}): Promise<ListeningService> {
    const chain = testChain();
    const settings = Object.assign(
      new CatalogConfig(),
      {
        httpPort: 0,
        databaseUrl: this.database.catalogUrl,
        chainRpcUrl: chain.rpcUrl,
        chainId: chain.chainId,
        chainSettlementAddress: SETTLEMENT,
      },
      config,
    );
    const parts = {
      config: settings,
      logger: createLogger('catalog', 'silent'),
      messaging: await this.nats.connectAs('catalog'),
    };
    const instance = await listenService({ module: (given) => SupplyRoot.forService(given) }, parts);
    this.instances.push(instance);
    return instance;
  }

  async close(): Promise<void> {
    for (const view of this.views) view.stop();
    for (const { strategy, app } of this.instances) {
      await strategy.close();
      await app.close();
    }
    await this.nats.close();
    await this.prisma.$disconnect();
    await this.database.drop();
  }

  /** Calls as the gateway does, for providers. */
  call<Req extends object, Res>(contract: RpcContract<Req, Res>, request: Req): Promise<Res> {
    return this.gateway.call(contract, request, PATIENTLY);
  }

  /** Calls as operators do. */
  operate<Req extends object, Res>(contract: RpcContract<Req, Res>, request: Req): Promise<Res> {
    return this.operator.call(contract, request, PATIENTLY);
  }

  apply(request: ApplyCatalogueRequest) {
    return this.operate(catalogContracts.applyCatalogue, request);
  }

  model(id: string): ModelView | undefined {
    return this.models.get(catalogKey(id));
  }

  offer(id: string): OfferView | undefined {
    return this.offers.get(catalogKey(id));
  }

  /** Ends the open certification of an offer as its runner does when all probes passed; publishes. */
  async certify(offerId: string, scope: CertifiedScope = scopeOf(), forMs = 30 * DAY_MS): Promise<string> {
    const id = await this.prisma.$transaction(async (tx) => {
      const where = { offerId, kind: 'full', status: { in: ['queued', 'running'] } };
      const run = await tx.certification.findFirstOrThrow({ where });
      const [finishedAt, validUntil] = [new Date(), new Date(Date.now() + forMs)];
      await tx.certification.update({
        where: { id: run.id },
        data: {
          status: 'passed',
          finishedAt,
          validUntil,
          result: JSON.parse(JSON.stringify(scope)) as object,
        },
      });
      await tx.offer.update({
        where: { id: offerId },
        data: { liveVersion: run.version, certificationId: run.id, certifiedUntil: validUntil },
      });
      return run.id;
    });
    await this.publish();
    return id;
  }

  /** Ends it as its runner does when a probe failed. */
  async refuse(offerId: string): Promise<void> {
    await this.prisma.certification.updateMany({
      where: { offerId, status: { in: ['queued', 'running'] } },
      data: {
        status: 'refused',
        finishedAt: new Date(),
        refusalProbe: 'plain_text',
        refusalMessage: 'no reply came',
      },
    });
    await this.publish();
  }

  publish(): Promise<boolean> {
    return this.catalog.app.get(PublicationService).publish();
  }

  private follow<T>(messaging: Messaging, bucket: string): KvView<T> {
    const view = new KvView<T>(messaging.connection, bucket, () => undefined);
    view.start();
    this.views.push(view);
    return view;
  }

  private async startDispatch(): Promise<void> {
    const { connection } = await this.nats.connectAs('dispatch');
    connection.subscribe(probeContracts.check.subject, {
      queue: probeContracts.check.queue,
      callback: (_error, message) => {
        const { endpoint } = message.json<{ endpoint: string }>();
        const answer = this.permit?.(endpoint);
        if (answer) message.respond(JSON.stringify(answer));
      },
    });
    await connection.flush();
  }
}
