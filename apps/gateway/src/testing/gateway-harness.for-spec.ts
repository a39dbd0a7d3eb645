import { generateApiKey } from '@svc/api-key';
import { loadConfig } from '@svc/config';
import {
  CATALOG_BUCKETS,
  billingContracts,
  catalogContracts,
  catalogKey,
  cortexContracts,
} from '@svc/contracts';
import type { ModelView, RoutingModelView } from '@svc/contracts';
import { credentialPublicKeyOf, generateCredentialKey } from '@svc/credential-seal';
import { ENVIRONMENTS } from '@svc/environment';
import type { EnvironmentName } from '@svc/environment';
import { freePort, localChainId } from '@svc/local-servers';
import type { Messaging } from '@svc/messaging';
import { listenService } from '@svc/service-host';
import type { ListeningService } from '@svc/service-host';
import { PrivateNats, eventually, waitLongFor } from '@svc/testing';
import type { NatsUser } from '@svc/testing';
import { pino } from 'pino';
import { AppModule } from '../app.module';
import { GatewayConfig } from '../gateway.config';
import { GatewayHttpAdapter } from '../http/gateway-http.adapter';
import { prepareGateway } from '../prepare-gateway';
import { RunsService } from '../runs/runs.service';
import { FakeBilling } from './fake-billing.for-spec';
import { FakeCortex } from './fake-cortex.for-spec';
import { FakeDispatch } from './fake-dispatch.for-spec';
import { demoModel, toollessModel } from './models.for-spec';

/** What stored replies of specs are encrypted under. */
export const TEST_RESPONSE_KEY = 'cd'.repeat(32);

/** The wallet that is an operator at a gateway of specs. */
export const OPERATOR = `0x${'0f'.repeat(20)}`;

/** The gateway's clock. It goes when a test lets it go, so that no time is over because the machine was slow. */
class TestClock {
  private atMs = 1_000_000;

  nowMs(): number {
    return this.atMs;
  }

  advance(ms: number): void {
    this.atMs += ms;
  }
}

interface AnotherGateway {
  readonly url: string;
  stop(): Promise<void>;
}

/** The real gateway on a real NATS, with stand-ins for the services that it calls. */
export class GatewayHarness {
  readonly apiKey: string;
  /** Dispatch's, which alone opens credentials. */
  readonly credentialKey = generateCredentialKey();
  readonly clock = new TestClock();
  readonly logLines: string[] = [];
  nats!: PrivateNats;
  cortex!: FakeCortex;
  billing!: FakeBilling;
  dispatch!: FakeDispatch;
  url!: string;
  private service: ListeningService | undefined;
  private catalog!: Messaging;
  private readonly connections: Messaging[] = [];

  /** @param name which of the two environments the gateway serves */
  constructor(private readonly name: EnvironmentName = 'testnet') {
    this.apiKey = generateApiKey(ENVIRONMENTS[name].keyPrefix);
  }

  /** @param environment what differs from a development machine's */
  async start(environment: Record<string, string> = {}): Promise<this> {
    waitLongFor({ ...billingContracts, ...catalogContracts, ...cortexContracts });
    this.nats = await PrivateNats.start();
    this.cortex = new FakeCortex((await this.connectAs('cortex')).connection);
    this.billing = await new FakeBilling((await this.connectAs('billing')).connection).start();
    this.dispatch = new FakeDispatch((await this.connectAs('dispatch')).connection);
    this.catalog = await this.connectAs('catalog');
    await this.publishModels([demoModel, toollessModel]);
    // Each of them is asked over a connection of its own: all that they listen to must have come to the server.
    await this.settled();
    await this.startGateway(environment);
    return this;
  }

  get runs(): RunsService {
    return this.app.get(RunsService);
  }

  get app(): ListeningService['app'] {
    if (!this.service) throw new Error('not started');
    return this.service.app;
  }

  async publishModels(models: (ModelView | RoutingModelView)[]): Promise<void> {
    const kv = await this.catalog.connection.jetstream().views.kv(CATALOG_BUCKETS.models);
    for (const model of models) await kv.put(catalogKey(model.id), JSON.stringify(model));
  }

  /** Looks at the gateway's timers as if so much time had passed. */
  pass(ms: number): void {
    this.clock.advance(ms);
    this.runs.sweep();
  }

  /** Waits until the gateway has taken everything that the stand-ins have sent so far. */
  async settled(): Promise<void> {
    for (const { connection, service } of this.connections)
      if (service !== 'gateway') await connection.flush();
    for (const { connection, service } of this.connections)
      if (service === 'gateway') await connection.flush();
  }

  /** Waits until the stand-ins have taken everything that the gateway has sent so far. */
  async heard(): Promise<void> {
    // The gateway's connection is flushed by the first, theirs by the second.
    await this.settled();
    await this.settled();
  }

  post(
    body: unknown,
    init: { headers?: Record<string, string>; signal?: AbortSignal; at?: string } = {},
  ): Promise<Response> {
    return fetch(`${init.at ?? this.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        'content-type': 'application/json',
        ...init.headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: init.signal,
    });
  }

  /** The catalogue's process ends; what it published stands. */
  async stopCatalog(): Promise<void> {
    await this.catalog.connection.close();
  }

  /** As on SIGTERM. */
  async stopGateway(): Promise<void> {
    await this.service?.strategy.close();
    await this.service?.app.close();
    this.service = undefined;
  }

  async stop(): Promise<void> {
    await this.stopGateway();
    this.dispatch?.stop();
    await this.billing?.stop();
    await this.nats?.close();
  }

  private async connectAs(user: NatsUser): Promise<Messaging> {
    const messaging = await this.nats.connectAs(user);
    this.connections.push(messaging);
    return messaging;
  }

  /** @param environment what differs from a development machine's */
  async startGateway(environment: Record<string, string> = {}): Promise<void> {
    this.service = await this.listen(environment);
    this.url = await this.app.getUrl();
  }

  /** A second gateway beside it, on the same NATS. @param messaging its connection, where it is to have another than the usual one */
  async startAnother(
    environment: Record<string, string> = {},
    messaging?: Messaging,
  ): Promise<AnotherGateway> {
    const { app, strategy } = await this.listen(environment, messaging);
    const stop = async () => {
      await strategy.close();
      await app.close();
    };
    return { url: await app.getUrl(), stop };
  }

  private async listen(
    environment: Record<string, string>,
    messaging?: Messaging,
  ): Promise<ListeningService> {
    // Known before it listens: the portal's origin has it.
    const port = await freePort();
    const config = loadConfig(GatewayConfig, {
      SVC_ENVIRONMENT: this.name,
      HTTP_PORT: String(port),
      NATS_URL: 'nats://127.0.0.1',
      KEY_PEPPER: 'a pepper for tests only',
      RESPONSE_KEY: TEST_RESPONSE_KEY,
      CREDENTIAL_PUBLIC_KEY: credentialPublicKeyOf(this.credentialKey),
      PORTAL_ORIGINS: `http://127.0.0.1:${port}`,
      OPERATOR_WALLETS: OPERATOR,
      CHAIN_ID: String(localChainId),
      CHAIN_USDC_ADDRESS: `0x${'c1'.repeat(20)}`,
      CHAIN_SETTLEMENT_ADDRESS: `0x${'5e'.repeat(20)}`,
      ...environment,
    });
    messaging ??= await this.connectAs('gateway');
    const logger = pino({ level: 'info' }, { write: (line: string) => void this.logLines.push(line) });
    const service = await listenService(
      {
        module: (parts) => AppModule.forParts(parts, this.clock),
        adapter: ({ maxConnections, proxies }) => new GatewayHttpAdapter(maxConnections, proxies),
        prepare: (app) => prepareGateway(app),
      },
      { config, logger, messaging },
    );
    const url = await service.app.getUrl();
    await eventually(async () => (await fetch(`${url}/health/ready`)).ok);
    return service;
  }
}
