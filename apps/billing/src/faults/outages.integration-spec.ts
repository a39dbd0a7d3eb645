import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { becomesTrue, freePort, startPostgres } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import { applyMigrations, serviceRoles } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { FaultLoad } from './fault-load.for-spec';
import { FaultStack } from './fault-stack.for-spec';
import type { Payer, StackDatabase } from './fault-stack.for-spec';
import { expectNoViolations } from './invariants.for-spec';
import { untilQuiet } from './quiet.for-spec';
import { Random } from './random.for-spec';
import { Supervisor } from './supervisor.for-spec';

const SEED = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31));
const PAYERS = 4;
const USDC = 1_000_000n;

/** A PostgreSQL server of this spec's own: nobody else notices when it dies. */
class PrivatePostgres implements StackDatabase {
  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly password: string,
    private server: LocalServer,
  ) {}

  static async start(): Promise<PrivatePostgres> {
    const directory = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
    const port = await freePort();
    const password = `t${randomBytes(12).toString('hex')}`;
    const server = await launch(directory, port, password);
    await applyMigrations(server.url, { rolePasswords: { billing: password, catalog: password } });
    return new PrivatePostgres(directory, port, password, server);
  }

  get adminUrl(): string {
    return this.server.url;
  }

  get billingUrl(): string {
    const url = new URL(this.server.url);
    url.username = serviceRoles.billing;
    url.password = this.password;
    return url.href;
  }

  /** As a power cut would end it, as far as it can tell: without a checkpoint, in the middle of commits. */
  async kill(): Promise<void> {
    process.kill(this.server.pid, 'SIGKILL');
    await this.server.exited;
  }

  /** Its children may need a moment to notice that it is gone; until then it refuses to start. */
  async startAgain(): Promise<void> {
    this.server = await eventually(() => launch(this.directory, this.port, this.password), {
      timeoutMs: 120_000,
      intervalMs: 200,
    });
  }

  async drop(): Promise<void> {
    await this.server.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function launch(dataDir: string, port: number, superuserPassword: string): Promise<LocalServer> {
  return startPostgres({ dataDir, port, superuserPassword });
}

describe('two instances of billing under load', () => {
  let postgres: PrivatePostgres;
  let stack: FaultStack;
  let instances: Supervisor[] = [];
  const payers: Payer[] = [];
  const random = new Random(SEED);
  let loads = 0;

  beforeAll(async () => {
    postgres = await PrivatePostgres.start();
    stack = await FaultStack.start(postgres);
    instances = [new Supervisor(stack, 'one'), new Supervisor(stack, 'two')];
    for (const instance of instances) await instance.start();
    for (let account = 1; account <= PAYERS; account++) {
      payers.push(await stack.addPayer(account, 1_000n * USDC, 2));
    }
  });
  afterAll(async () => {
    for (const instance of instances) await instance.stop();
    await stack?.close();
  });

  /** Does something terrible in the middle of a load, and looks at what is left when all is quiet. */
  async function survives(fault: () => Promise<unknown>): Promise<void> {
    const load = FaultLoad.start(stack, payers, `o${loads++}`, random.fork());
    await requestsBeyond(load, 100);
    await fault();
    for (const instance of instances) await instance.standing();
    await requestsBeyond(load, load.requests + 100);
    const book = await load.stop();
    await untilQuiet(stack);
    await expectNoViolations(stack, book, `FAULT_SEED=${SEED}`);
  }

  async function requestsBeyond(load: FaultLoad, count: number): Promise<void> {
    if (await becomesTrue(() => load.failure !== undefined || load.requests >= count, 120_000)) return;
    throw new Error(`no more than ${load.requests} requests`);
  }

  it(`survive one of them dying, then the other (FAULT_SEED=${SEED})`, async () => {
    await survives(async () => {
      for (const instance of instances) {
        const deaths = instance.count;
        await instance.kill();
        await instance.diesWithin(deaths, 5_000);
        await instance.standing();
      }
    });
  }, 600_000);

  it(`survive PostgreSQL being killed, and stay up (FAULT_SEED=${SEED})`, async () => {
    const deaths = instances.map(({ count }) => count);
    await survives(async () => {
      await postgres.kill();
      await postgres.startAgain();
    });
    expect(instances.map(({ count }) => count)).toEqual(deaths);
  }, 600_000);

  it(`survive NATS being restarted, and stay up (FAULT_SEED=${SEED})`, async () => {
    const deaths = instances.map(({ count }) => count);
    await survives(async () => {
      await stack.nats.stop();
      await stack.nats.startAgain();
    });
    expect(instances.map(({ count }) => count)).toEqual(deaths);
  }, 600_000);
});
