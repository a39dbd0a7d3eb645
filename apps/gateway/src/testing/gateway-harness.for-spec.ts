import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { generateApiKey } from '@svc/api-key';
import { CATALOG_BUCKETS, catalogKey } from '@svc/contracts';
import type { ModelView } from '@svc/contracts';
import { freePort, startNats } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import { connectMessaging } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { eventually } from '@svc/testing';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
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

const PASSWORD = 'secret';
const USERS = ['gateway', 'catalog', 'cortex', 'dispatch', 'billing', 'setup', 'internal'] as const;
type User = (typeof USERS)[number];

/** The gateway's clock: real time, and what a test puts on top of it. */
export class TestClock {
  private aheadMs = 0;

  nowMs(): number {
    return performance.now() + this.aheadMs;
  }

  advance(ms: number): void {
    this.aheadMs += ms;
  }
}

/** The real gateway on a real NATS, with stand-ins for the services that it calls. */
export class GatewayHarness {
  readonly apiKey = generateApiKey('svc_test_');
  readonly clock = new TestClock();
  cortex!: FakeCortex;
  billing!: FakeBilling;
  dispatch!: FakeDispatch;
  app!: NestFastifyApplication;
  url!: string;
  logLines: string[] = [];
  private nats!: LocalServer;
  private directory!: string;
  private messaging!: Messaging;
  private readonly connections: NatsConnection[] = [];

  async start(): Promise<this> {
    this.directory = mkdtempSync(join(tmpdir(), 'svc-gateway-'));
    await this.startNats(await freePort());
    this.cortex = new FakeCortex(await this.connectAs('cortex'));
    this.billing = await new FakeBilling(await this.connectAs('billing')).start();
    this.dispatch = new FakeDispatch(await this.connectAs('dispatch'));
    await this.publishModels([demoModel, toollessModel]);
    await this.startGateway();
    return this;
  }

  async startNats(port: number): Promise<void> {
    this.nats = await startNats({
      dataDir: join(this.directory, 'nats'),
      port,
      configFile: join(__dirname, '../../../../deploy/nats/nats.conf'),
      env: Object.fromEntries(USERS.map((user) => [`NATS_${user.toUpperCase()}_PASSWORD`, PASSWORD])),
    });
  }

  async stopNats(): Promise<number> {
    const port = Number(new URL(this.nats.url).port);
    await this.nats.stop();
    return port;
  }

  async connectAs(user: User): Promise<NatsConnection> {
    const connection = await connect({
      servers: this.nats.url,
      user,
      pass: PASSWORD,
      inboxPrefix: `_INBOX.${user}`,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 50,
    });
    this.connections.push(connection);
    return connection;
  }

  async publishModels(models: ModelView[]): Promise<void> {
    const kv = await (await this.connectAs('catalog')).jetstream().views.kv(CATALOG_BUCKETS.models);
    for (const model of models) await kv.put(catalogKey(model.id), JSON.stringify(model));
  }

  /** Looks at the gateway's timers as if so much time had passed. */
  pass(ms: number): void {
    this.clock.advance(ms);
    this.app.get(RunsService).sweep();
  }

  /** Waits until the gateway has taken everything that the stand-ins have sent so far. */
  async settled(): Promise<void> {
    for (const connection of this.connections) await connection.flush();
    await this.messaging.connection.flush();
  }

  post(
    body: unknown,
    init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Response> {
    return fetch(`${this.url}/v1/chat/completions`, {
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

  async stop(): Promise<void> {
    // A start that failed half-way must not keep the test process alive.
    await this.app?.close();
    await this.messaging?.connection.close();
    await this.billing?.stop();
    await Promise.all(this.connections.map((connection) => connection.close()));
    await this.nats.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async startGateway(): Promise<void> {
    const config = Object.assign(new GatewayConfig(), {
      httpPort: 0,
      natsUrl: this.nats.url,
      natsUser: 'gateway',
      natsPassword: PASSWORD,
      keyPepper: 'a pepper for tests only',
    });
    this.messaging = await connectMessaging('gateway', config);
    const logger = pino({ level: 'info' }, { write: (line: string) => void this.logLines.push(line) });
    this.app = await NestFactory.create<NestFastifyApplication>(
      AppModule.forParts({ config, logger, messaging: this.messaging }, this.clock),
      new GatewayHttpAdapter(config.maxConnections),
      { logger: false, abortOnError: false },
    );
    prepareGateway(this.app);
    await this.app.listen(0, '127.0.0.1');
    this.url = await this.app.getUrl();
    await eventually(async () => (await fetch(`${this.url}/health/ready`)).ok);
  }
}
