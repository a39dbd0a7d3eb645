import { allOrAbort } from './all-or-abort';
import { joinMarket } from './join-market';
import type { JoinedMarket } from './join-market';
import { localServers } from './local-servers';
import { answersOk, launchService, readyPath, runJob } from './node-process';
import { untilOpen } from './open-market';
import { providerDefinitions, vendorDefinition } from './provider-definitions';
import type { ProviderDefinition } from './provider-definitions';
import { serverAddresses } from './server-addresses';
import { ServiceEnvironment } from './service-environment';
import type { ServerAddresses, StackContext } from './stack-context';
import { SupervisedProcess } from './supervised-process';
import type { SupervisorEvents } from './supervised-process';

type ServiceName = 'gateway' | 'catalog' | 'cortex' | 'dispatch' | 'billing';

/**
 * In this order everything is stopped, group by group: whoever speaks to clients first, so that what is under way still
 * finds those it needs.
 */
const stopOrder: readonly (readonly string[])[] = [
  ['gateway'],
  ['dispatch', 'cortex'],
  ['billing', 'catalog', 'provider-node', 'vendor-node'],
  ['nats', 'postgres', 'chain'],
];

/** All processes of one marketplace: brought up in order, kept running, taken down in order. */
export class Stack {
  private readonly processes: SupervisedProcess[] = [];
  private readonly abort = new AbortController();
  private joined: JoinedMarket = { live: [], missing: [] };

  private constructor(
    private readonly context: StackContext,
    readonly addresses: ServerAddresses,
    readonly environment: ServiceEnvironment,
    private readonly events: SupervisorEvents,
  ) {}

  /** @throws Error when a given server cannot be asked what it is */
  static async create(context: StackContext, events: SupervisorEvents): Promise<Stack> {
    const addresses = await serverAddresses(context);
    return new Stack(context, addresses, new ServiceEnvironment(context, addresses), events);
  }

  /**
   * Starts everything, each part as soon as what it needs is there, and seeds the market.
   * @throws the first failure, or the signal's reason; {@link down} still has to be called
   */
  async up(signal: AbortSignal): Promise<void> {
    const abort = (): void => this.abort.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    const servers = new Map(
      localServers(this.context).map(({ name, launch }) => [name, this.add(name, name, launch)]),
    );
    const server = (name: 'nats' | 'postgres' | 'chain'): Promise<unknown> =>
      this.optional(servers.get(name));
    const nats = server('nats');
    const database = server('postgres').then(() => this.setUp('migrate'));
    const chain = server('chain').then(() => this.setUp('contracts'));
    const providers = providerDefinitions(this.context);
    const vendor = vendorDefinition(this.context);
    const nodes = [
      ...providers.map((provider) => this.startNode('provider-node', provider)),
      this.startNode('vendor-node', vendor),
    ];
    const catalog = Promise.all([nats, database, chain]).then(() => this.startService('catalog'));
    const billing = Promise.all([nats, database, chain]).then(() => this.startService('billing'));
    // It tells the page where the contracts are.
    const gateway = Promise.all([nats, chain]).then(() => this.startService('gateway'));
    const cortex = nats.then(() => this.startService('cortex'));
    const dispatch = nats.then(() => this.startService('dispatch'));
    // Dispatch says whether the vendor's endpoint may be called.
    const seed = Promise.all([catalog, billing, dispatch]).then(() => this.seed(providers));
    const services = [catalog, billing, gateway, cortex, dispatch];
    const open = Promise.all([seed, ...services, ...nodes]).then(() => this.openMarket());
    const all = [nats, database, chain, seed, open, ...services, ...nodes];
    await allOrAbort(all, this.abort).finally(() => signal.removeEventListener('abort', abort));
  }

  /** Stops everything in order, also what is only being restarted. */
  async down(): Promise<void> {
    this.abort.abort(new Error('the stack is stopping'));
    for (const group of stopOrder) {
      const members = this.processes.filter((process) => group.includes(process.service));
      if (members.length === 0) continue;
      await this.context.progress.step(`stop ${group.join(', ')}`, () =>
        Promise.all(members.map((process) => process.stop())),
      );
    }
  }

  /** What became of the seed's offers, once the stack is up. */
  get market(): JoinedMarket {
    return this.joined;
  }

  /** Ids of the running processes by service, in the order of the replicas. */
  processIds(): Record<string, number[]> {
    const ids: Record<string, number[]> = {};
    for (const { service, pid } of this.processes) {
      (ids[service] ??= []).push(...(pid === undefined ? [] : [pid]));
    }
    return ids;
  }

  /** Where a service's processes listen, in the order of the replicas. */
  async urlsOf(service: 'gateway' | 'dispatch'): Promise<string[]> {
    const members = this.processes.filter((process) => process.service === service);
    return Promise.all(
      members.map(async ({ name }) => `http://127.0.0.1:${await this.context.ports.of(name)}`),
    );
  }

  /** Starts one more process of a running stack's service. @returns its name */
  async addReplica(service: 'dispatch'): Promise<string> {
    const names = this.processes.map(({ name }) => name);
    let number = 2;
    while (names.includes(`${service}-${number}`)) number += 1;
    const process = await this.addService(service, `${service}-${number}`);
    try {
      await process.start(this.abort.signal);
    } catch (error) {
      this.drop(process);
      throw error;
    }
    return process.name;
  }

  /** Stops the youngest of a service's processes, in order: it finishes what it has under way. @returns its name */
  async removeReplica(service: 'dispatch'): Promise<string | undefined> {
    const youngest = this.processes.filter((process) => process.service === service).at(-1);
    await youngest?.stop();
    if (youngest) this.drop(youngest);
    return youngest?.name;
  }

  private drop(process: SupervisedProcess): void {
    this.processes.splice(this.processes.indexOf(process), 1);
  }

  private async optional(process: SupervisedProcess | undefined): Promise<void> {
    if (process !== undefined) await this.start(process);
  }

  private async startService(service: ServiceName): Promise<void> {
    const { replicas } = this.context.options;
    const count = service === 'gateway' || service === 'dispatch' ? replicas[service] : 1;
    const names = Array.from({ length: count }, (_, index) =>
      index === 0 ? service : `${service}-${index + 1}`,
    );
    await Promise.all(names.map((name) => this.startReplica(service, name)));
  }

  private async startReplica(service: ServiceName, name: string): Promise<void> {
    await this.start(await this.addService(service, name));
  }

  private async addService(service: ServiceName, name: string): Promise<SupervisedProcess> {
    const port = await this.context.ports.of(name);
    const launch = async (signal: AbortSignal) => {
      const env = await this.environment.service(service, port);
      return launchService(this.context.paths, { name, app: service, port, env }, signal);
    };
    return this.add(name, service, launch);
  }

  private async startNode(
    service: 'provider-node' | 'vendor-node',
    { name, settings, upstream }: ProviderDefinition,
  ): Promise<void> {
    const port = await this.context.ports.of(name);
    const env = this.environment.providerNode(name, port, settings);
    // It is ready when its upstream is, which may come up later than the rest.
    const path = upstream === undefined ? readyPath : '/health/live';
    const launch = (signal: AbortSignal) =>
      launchService(this.context.paths, { name, app: 'provider-node', port, env, readyPath: path }, signal);
    await this.start(this.add(name, service, launch));
    if (upstream !== undefined && !(await answersOk(`http://127.0.0.1:${port}${readyPath}`))) {
      this.context.progress.say(
        `  ! ${settings.UPSTREAM_URL} does not answer yet; its model is served once it does`,
      );
    }
  }

  private async seed(providers: readonly ProviderDefinition[]): Promise<void> {
    const entries = await Promise.all(
      providers.map(async ({ name, upstream }) => ({
        name,
        endpoint: await this.endpointOf(name),
        upstreamModel: upstream?.model,
        model: upstream?.marketId,
      })),
    );
    await this.setUp('seed', JSON.stringify(entries));
  }

  private async openMarket(): Promise<void> {
    const { ports } = this.context;
    const { signal } = this.abort;
    signal.throwIfAborted();
    this.joined = await joinMarket(this.context, this.environment, await this.gatewayUrl(), signal);
    const gateways = this.processes.filter(({ service }) => service === 'gateway');
    await this.step('open market', () =>
      Promise.all(
        gateways.map(async ({ name }) =>
          untilOpen(`http://127.0.0.1:${await ports.of(name)}/v1`, this.joined.live, signal),
        ),
      ),
    );
  }

  private async setUp(step: 'migrate' | 'contracts' | 'seed', providers = '[]'): Promise<void> {
    const places = {
      providers,
      gateway: await this.gatewayUrl(),
      vendor: await this.endpointOf(vendorDefinition(this.context).name),
    };
    const env = this.environment.setup(places);
    const job = { name: `setup-${step}`, app: 'setup', args: [step], env };
    await this.step(step, () => runJob(this.context.paths, job, this.abort.signal));
  }

  /** A node's base URL. */
  private async endpointOf(name: string): Promise<string> {
    return `http://127.0.0.1:${await this.context.ports.of(name)}/v1`;
  }

  private async gatewayUrl(): Promise<string> {
    return `http://127.0.0.1:${await this.context.ports.of('gateway')}`;
  }

  private add(
    name: string,
    service: string,
    launch: (signal: AbortSignal) => ReturnType<typeof launchService>,
  ): SupervisedProcess {
    const supervised = new SupervisedProcess(name, service, launch, this.events);
    this.processes.push(supervised);
    return supervised;
  }

  private async start(process: SupervisedProcess): Promise<void> {
    await this.step(process.name, () => process.start(this.abort.signal));
  }

  /** A step that is not begun any more once another one has failed. */
  private async step(title: string, work: () => Promise<unknown>): Promise<void> {
    this.abort.signal.throwIfAborted();
    await this.context.progress.step(title, work, this.abort.signal);
  }
}
