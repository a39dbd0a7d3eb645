import { readdirSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import { loadConfig } from '@svc/config';
import { workspaceRoot } from '@svc/local-servers';
import { parseAllDocuments } from 'yaml';
import { MigrateConfig } from '../setup.config';
import {
  environmentOf,
  readComposeFile,
  readExampleEnvironment,
  readWorkspaceFile,
} from './compose-file.for-spec';

const FOLDER = 'deploy/kubernetes';
const APPS = ['billing', 'catalog', 'cortex', 'dispatch', 'gateway'];

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata?: { name: string; namespace?: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  resources?: string[];
  images?: { name: string; newName: string; newTag: string }[];
}

interface Container {
  name: string;
  image: string;
  command?: string[];
  args: string[];
  env?: { name: string; value: string }[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
  volumeMounts: { name: string; mountPath: string }[];
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}

interface Workload extends Manifest {
  spec: {
    selector: { matchLabels: object };
    template: {
      metadata: { labels: object };
      spec: {
        terminationGracePeriodSeconds?: number;
        enableServiceLinks?: boolean;
        securityContext: object;
        containers: [Container];
        volumes: { name: string }[];
      };
    };
  };
}

interface ClusterService extends Manifest {
  spec: { selector: object; ports: { port: number; targetPort: string }[] };
}

interface DisruptionBudget extends Manifest {
  spec: { maxUnavailable: number; selector: { matchLabels: object } };
}

interface Peer {
  namespaceSelector?: { matchLabels: object };
  ipBlock?: { cidr: string; except: string[] };
}

interface Rule {
  ports?: { port: number | string; protocol?: string }[];
  from?: Peer[];
  to?: Peer[];
}

interface NetworkPolicy extends Manifest {
  spec: {
    podSelector: { matchLabels?: { app: string }; matchExpressions?: { values: string[] }[] };
    policyTypes: string[];
    ingress?: Rule[];
    egress?: Rule[];
  };
}

function read(file: string): Manifest[] {
  return parseAllDocuments(readWorkspaceFile(`${FOLDER}/${file}`)).map((document) => {
    expect([file, document.errors]).toEqual([file, []]);
    return document.toJS() as Manifest;
  });
}

const [kustomization] = read('kustomization.yaml') as [Manifest];
const configuration = new Map(read('configuration.yaml').map((map) => [map.metadata?.name, map.data ?? {}]));
const secrets = new Map(
  read('secrets.example.yaml').map((secret) => [secret.metadata?.name, secret.stringData ?? {}]),
);
const [job] = read('migrate.yaml') as [Workload];
const policies = read('network-policies.yaml') as NetworkPolicy[];
const example = readExampleEnvironment();
const compose = readComposeFile();

/** What stands in the names of Secrets is nobody's: values as Compose gives them are put in, by name. */
function environmentIn(container: Container, app: string): Record<string, string> {
  const inCompose = environmentOf(compose.services[app] ?? { image: '' }, example);
  const given: Record<string, string> = {};
  for (const { configMapRef, secretRef } of container.envFrom) {
    if (configMapRef) Object.assign(given, configuration.get(configMapRef.name) ?? fail(configMapRef.name));
    if (!secretRef) continue;
    for (const [name, value] of Object.entries(secrets.get(secretRef.name) ?? fail(secretRef.name))) {
      expect([name, value]).toEqual([name, '']);
      given[name] = inCompose[name] ?? fail(name);
    }
  }
  for (const { name, value } of container.env ?? []) given[name] = value;
  return given;
}

function policiesOf(app: string): NetworkPolicy['spec'][] {
  const names = ({ spec: { podSelector } }: NetworkPolicy): string[] =>
    podSelector.matchExpressions?.[0]?.values ?? [podSelector.matchLabels?.app ?? ''];
  return policies.filter((policy) => names(policy).includes(app)).map(({ spec }) => spec);
}

function listOf(networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

function portsOf(rules: Rule[]): (number | string)[] {
  return rules.flatMap(({ ports = [] }) => ports.map(({ port }) => port)).sort();
}

function fail(name: string): never {
  throw new Error(`${name} is not there`);
}

describe('deploy/kubernetes', () => {
  it('applies every file but the example of Secrets and the job', () => {
    const files = readdirSync(join(workspaceRoot, FOLDER));
    const apart = ['kustomization.yaml', 'migrate.yaml', 'secrets.example.yaml'];
    expect([...(kustomization.resources ?? []), ...apart].sort()).toEqual(files.sort());
  });

  it('names one image, which runs the entry point of the Dockerfile with its flags', () => {
    const [image] = kustomization.images ?? [];
    expect(job.spec.template.spec.containers[0].image).toBe(`${image?.newName}:${image?.newTag}`);
    for (const app of APPS) {
      const { image: name, command } = (read(`${app}.yaml`)[0] as Workload).spec.template.spec.containers[0];
      // A command of its own would take the place of the entry point, and leave out the flags.
      expect([name, command]).toEqual([image?.name, undefined]);
    }
    const { command, args } = job.spec.template.spec.containers[0];
    expect([command, args]).toEqual([undefined, compose.services.migrate?.command]);
    expect(readWorkspaceFile('deploy/Dockerfile')).toMatch(/^ENTRYPOINT \["node", "--/m);
  });

  it('gives the job what setup migrate needs', () => {
    loadConfig(MigrateConfig, environmentIn(job.spec.template.spec.containers[0], 'migrate'));
    expect(job.metadata?.namespace).toBe('svc');
  });

  describe.each(APPS)('%s', (app) => {
    const [workload, service, budget] = read(`${app}.yaml`) as [Workload, ClusterService, DisruptionBudget];
    const pod = workload.spec.template.spec;
    const [container] = pod.containers;
    const environment = environmentIn(container, app);

    it('can start with what it is given, as its own NATS user', () => {
      const file = join(workspaceRoot, 'apps', app, 'src', `${app}.config.ts`);
      const exported = jest.requireActual<Record<string, unknown>>(file);
      const Config = Object.entries(exported).find(([name]) => name.endsWith('Config'))?.[1];
      loadConfig(Config as new () => object, environment);
      expect(environment.NATS_USER).toBe(app);
      expect(container.args).toEqual(compose.services[app]?.command);
    });

    it('has every setting that it has with Compose, but what the local chain alone wants', () => {
      const local = [
        'PORTAL_FAUCET',
        'PORTAL_DEVELOPMENT_WALLETS',
        'SETTLEMENT_INTERVAL_MS',
        'SETTLEMENT_MIN_DUE',
      ];
      const optional = [
        'PAYOUT_INTERVAL_MS',
        'UNSETTLED_CAP',
        'PROVIDER_ALLOWED_NETWORKS',
        'OPERATOR_WALLETS',
      ];
      const names = Object.keys(compose.services[app]?.environment ?? {}).filter(
        (name) =>
          ![...local, ...optional].includes(name) && !/_PREVIOUS$|^PORTAL_CHAIN_(NAME|EXPLORER)/.test(name),
      );
      for (const name of names) expect(Object.keys(environment)).toContain(name);
    });

    it('is asked for its health where it answers, and reached by its Service', () => {
      // On a port of its own nobody crowds it out.
      const port = environment.METRICS_PORT === undefined ? 'http' : 'metrics';
      expect(container.livenessProbe?.httpGet).toEqual({ path: '/health/live', port });
      expect(container.startupProbe?.httpGet).toEqual({ path: '/health/live', port });
      expect(container.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'http' });
      const ports = Object.fromEntries(
        (container.ports ?? []).map((port) => [port.name, port.containerPort]),
      );
      expect(ports.http).toBe(Number(environment.HTTP_PORT));
      expect(ports.metrics).toBe(environment.METRICS_PORT && Number(environment.METRICS_PORT));
      expect(service.kind).toBe('Service');
      expect(service.spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
      expect(service.spec.selector).toEqual(workload.spec.template.metadata.labels);
      expect(workload.spec.selector.matchLabels).toEqual(service.spec.selector);
    });

    it('loses one replica at a time when nodes are emptied', () => {
      expect(budget.kind).toBe('PodDisruptionBudget');
      expect(budget.spec.selector).toEqual(workload.spec.selector);
      expect(budget.spec.maxUnavailable).toBe(1);
    });

    it('is reached by whoever measures it, and by others only as their API', () => {
      const rules = policiesOf(app).flatMap(({ ingress = [] }) => ingress);
      const open = portsOf(rules.filter(({ from }) => from === undefined));
      const measured = portsOf(rules.filter(({ from }) => from !== undefined));
      expect([open, measured]).toEqual(app === 'gateway' ? [['http'], ['http', 'metrics']] : [[], ['http']]);
      expect((container.ports ?? []).map(({ name }) => name)).toEqual(measured);
    });

    it('is told nothing but what stands there', () => {
      expect(pod.enableServiceLinks).toBe(false);
    });

    it('has longer to end than its work under way', () => {
      const graceMs = Number(environment.SHUTDOWN_GRACE_MS);
      expect((pod.terminationGracePeriodSeconds ?? 0) * 1_000).toBeGreaterThanOrEqual(graceMs + 5_000);
      expect(Number(environment.SHUTDOWN_LEAVE_MS ?? 0)).toBeLessThan(graceMs);
    });
  });

  it.each([...APPS, 'migrate'])('lets %s reach what its variables name, and no other port', (app) => {
    const workload = app === 'migrate' ? job : (read(`${app}.yaml`)[0] as Workload);
    const environment = environmentIn(workload.spec.template.spec.containers[0], app);
    const specs = policiesOf(app);
    // One without a port is for addresses.
    const rules = specs.flatMap(({ egress = [] }) => egress).filter(({ ports }) => ports !== undefined);
    const named = ['NATS_URL', 'DATABASE_URL'].filter((name) => name in environment);
    const ports = named.map((name) => Number(new URL(environment[name] ?? '').port));
    // The example's is the chain of this Compose: in a cluster it is somebody's, with TLS.
    if ('CHAIN_RPC_URL' in environment) ports.push(443);
    expect(portsOf(rules)).toEqual([53, 53, ...ports].sort());
    expect(new Set(specs.flatMap(({ policyTypes }) => policyTypes))).toEqual(new Set(['Ingress', 'Egress']));
  });

  it('lets dispatch reach the addresses that it calls by itself, and nobody else any', () => {
    const { AddressRules } = jest.requireActual<{
      AddressRules: new (allowed: string) => { permits(address: string): boolean };
    }>(join(workspaceRoot, 'apps/dispatch/src/address-rules.ts'));
    const itsOwn = new AddressRules('');
    const open = (app: string): Rule[] =>
      policiesOf(app).flatMap(({ egress = [] }) => egress.filter(({ ports }) => ports === undefined));
    for (const app of [...APPS, 'migrate']) expect(open(app)).toHaveLength(app === 'dispatch' ? 1 : 0);
    const blocks = open('dispatch').flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
    const isReached = (address: string): boolean => {
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      return blocks
        .filter(({ cidr }) => cidr.includes(':') === (family === 'ipv6'))
        .some(
          ({ cidr, except }) =>
            listOf([cidr]).check(address, family) && !listOf(except).check(address, family),
        );
    };
    const edges = [...Array(256).keys()].map((first) => `${first}.255.255.254`);
    const nearby = blocks.flatMap(({ except }) => except.map((network) => network.split('/')[0] ?? ''));
    const others = [
      '8.8.8.8',
      '192.0.1.1',
      '168.63.129.17',
      '2606:4700::1',
      'fd00::1',
      'fe80::1',
      '64:ff9b::1',
    ];
    for (const address of [...edges, ...nearby, ...others])
      expect([address, isReached(address)]).toEqual([address, itsOwn.permits(address)]);
  });

  it('lets nobody be root or write anywhere but in /tmp', () => {
    for (const workload of [job, ...APPS.map((app) => read(`${app}.yaml`)[0] as Workload)]) {
      const { securityContext, containers, volumes } = workload.spec.template.spec;
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(containers[0].volumeMounts).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
      expect(volumes).toEqual([{ name: 'tmp', emptyDir: {} }]);
    }
  });
});
