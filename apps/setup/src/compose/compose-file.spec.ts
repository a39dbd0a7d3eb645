import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@svc/config';
import { credentialPublicKeyOf } from '@svc/credential-seal';
import { ENVIRONMENTS } from '@svc/environment';
import { workspaceRoot } from '@svc/local-servers';
import Ajv from 'ajv';
import { computeAddress, getCreateAddress } from 'ethers';
import { parse } from 'yaml';
import { buildCatalogue, parseSeedProviders } from '../catalogue-seed';
import type { CatalogueSeed } from '../catalogue-seed';
import { writeProviderFiles } from '../provider-files';
import { ContractsConfig, MigrateConfig, SeedConfig } from '../setup.config';
import {
  appOf,
  environmentOf,
  interpolate,
  readComposeFile,
  readExampleEnvironment,
  readWorkspaceFile,
  variablesIn,
} from './compose-file.for-spec';

/** Apps that are not services of the marketplace. */
const NOT_SERVICES = ['conformance', 'e2e', 'local-stack', 'portal', 'setup'];
const compose = readComposeFile();
const example = readExampleEnvironment();
const services = Object.entries(compose.services);
const servicesOfApps = services.filter(([, service]) => appOf(service) !== undefined);

describe('docker-compose.yml', () => {
  it('has the shape of the Compose Specification, as far as it is used here', () => {
    const schema = JSON.parse(readWorkspaceFile('deploy/compose/compose-file.schema.json')) as object;
    const validate = new Ajv({ allErrors: true, strictTuples: false }).compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
  });

  it('runs every service of the marketplace', () => {
    const apps = readdirSync(join(workspaceRoot, 'apps')).filter((app) => !NOT_SERVICES.includes(app));
    const running = new Set(servicesOfApps.map(([, service]) => appOf(service)));
    expect([...running].sort()).toEqual([...apps, 'setup'].sort());
  });

  it('waits only for services that exist and can come to the state waited for', () => {
    for (const [name, service] of services) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const awaited = compose.services[other];
        expect([name, other, awaited !== undefined]).toEqual([name, other, true]);
        if (condition === 'service_healthy') expect(awaited?.healthcheck).toBeDefined();
        // What is restarted never completes.
        else expect(awaited?.restart).toBeUndefined();
      }
    }
  });

  it('has an order to start in', () => {
    const started = new Set<string>();
    for (let round = 0; round < services.length; round += 1) {
      for (const [name, service] of services) {
        if (Object.keys(service.depends_on ?? {}).every((other) => started.has(other))) started.add(name);
      }
    }
    expect([...started].sort()).toEqual(services.map(([name]) => name).sort());
  });

  it('keeps every log from filling the disk that NATS and PostgreSQL are on: the usual driver never ends one', () => {
    for (const [name, { logging }] of services) expect([name, logging?.driver]).toEqual([name, 'local']);
  });

  it('mounts what exists', () => {
    const sources = services.flatMap(([, service]) =>
      (service.volumes ?? []).map((mount) => mount.split(':')[0]),
    );
    for (const source of sources as string[]) {
      const exists = source.startsWith('.')
        ? existsSync(join(workspaceRoot, source))
        : source in compose.volumes;
      expect([source, exists]).toEqual([source, true]);
    }
  });

  it('keeps providers apart: dispatch reaches them, and they reach nothing else of the marketplace', () => {
    // Each by itself: Docker's host and dispatch have addresses in that network too.
    const addresses = services.flatMap(([, { networks }]) =>
      networks && !Array.isArray(networks) ? (networks.providers?.ipv4_address ?? []) : [],
    );
    expect(new Set(addresses).size).toBe(3);
    const [network = '', prefix] = compose.networks.providers?.ipam?.config[0]?.subnet.split('/') ?? [];
    const subnet = new BlockList();
    subnet.addSubnet(network, Number(prefix));
    expect(addresses.every((each) => subnet.check(each))).toBe(true);
    expect(compose.services.dispatch?.networks).toEqual(['default', 'providers']);
    const dispatch = compose.services.dispatch ?? { image: '' };
    // Also where .env says nothing of it.
    for (const given of [example, { ...example, PROVIDER_ALLOWED_NETWORKS: '' }]) {
      expect(environmentOf(dispatch, given).PROVIDER_ALLOWED_NETWORKS).toBe(
        addresses.map((each) => `${each}/32`).join(','),
      );
    }
    for (const [name, service] of services) {
      if (appOf(service) === 'provider-node')
        expect([name, Object.keys(service.networks ?? {})]).toEqual([name, ['providers']]);
      else if (name !== 'dispatch') expect([name, service.networks]).toEqual([name, undefined]);
    }
  });

  it('builds targets the Dockerfile has', () => {
    const stages = [...readWorkspaceFile('deploy/Dockerfile').matchAll(/^FROM \S+ AS (\S+)$/gm)].map(
      ([, stage]) => stage,
    );
    for (const [, { build }] of services) {
      if (build) expect(stages).toContain(build.target);
    }
  });

  it('installs the packages of the lockfile without running their scripts', () => {
    const installs = readWorkspaceFile('deploy/Dockerfile').match(/^RUN npm ci .*$/gm);
    expect(installs).toHaveLength(2);
    for (const install of installs ?? []) expect(install).toContain(' --ignore-scripts');
  });

  it('publishes ports to this machine only, and none of a service that is scaled', () => {
    expect(compose.services.dispatch?.ports).toBeUndefined();
    for (const [, service] of services) {
      for (const port of service.ports ?? []) {
        const [address, , inside] = interpolate(port, example).split(':');
        expect(address).toBe('127.0.0.1');
        if (appOf(service)) expect(inside).toBe(environmentOf(service, example).HTTP_PORT);
      }
    }
  });

  it('takes from the environment exactly what .env.example explains', () => {
    const used = new Set(variablesIn(readWorkspaceFile('docker-compose.yml')));
    expect([...used].sort()).toEqual(Object.keys(example).sort());
  });

  it('has the defaults that .env.example shows, where it has any', () => {
    const text = readWorkspaceFile('docker-compose.yml');
    const defaults = [...text.matchAll(/\$\{([A-Z][A-Z0-9_]*):-([^}]+)\}/g)];
    // Off for who says nothing, on for the local chain.
    const shown = defaults.filter(([, name]) => name !== 'PORTAL_FAUCET');
    expect(shown.length).toBeGreaterThan(10);
    for (const [, name = '', value] of shown) expect([name, value]).toEqual([name, example[name]]);
  });

  it('can give each service what docs/deployment.md names', () => {
    const taken = {
      all: ['NATS_URL', 'SHUTDOWN_GRACE_MS'],
      gateway: ['METRICS_PORT', 'TRUSTED_PROXIES', 'OPERATOR_WALLETS', 'PORTAL_ORIGINS'],
      billing: ['CHAIN_RPC_URL', 'UNSETTLED_CAP', 'SETTLEMENT_INTERVAL_MS', 'PAYOUT_INTERVAL_MS'],
      catalog: ['CHAIN_RPC_URL'],
      cortex: [],
      dispatch: ['PROVIDER_ALLOWED_NETWORKS'],
    };
    const { all, ...apps } = taken;
    for (const [app, names] of Object.entries(apps)) {
      const service = compose.services[app] ?? { image: '' };
      for (const name of [...all, ...names]) {
        expect([app, environmentOf(service, { ...example, [name]: 'mine' })[name]]).toEqual([app, 'mine']);
      }
    }
  });

  it('does not start without its secrets', () => {
    // There is a previous key only while one is being replaced.
    const secrets = Object.keys(example).filter((name) => /PASSWORD|KEY(?!_PREVIOUS)/.test(name));
    const text = readWorkspaceFile('docker-compose.yml');
    for (const name of secrets) expect(text).not.toMatch(new RegExp(`\\$\\{${name}(:-[^}]*)?\\}`));
  });
});

describe('the environment Compose gives', () => {
  const setupSteps = { migrate: MigrateConfig, contracts: ContractsConfig, seed: SeedConfig };

  it.each(servicesOfApps.filter(([, service]) => appOf(service) !== 'setup'))(
    '%s can start with',
    (_, service) => {
      const app = appOf(service) as string;
      const file = join(workspaceRoot, 'apps', app, 'src', `${app}.config.ts`);
      const exported = jest.requireActual<Record<string, unknown>>(file);
      const Config = Object.entries(exported).find(
        ([name]) => name.endsWith('Config') && !name.startsWith('load'),
      )?.[1];
      const config = loadConfig(Config as new () => { httpHost: string }, environmentOf(service, example));
      expect(config.httpHost).toBe('0.0.0.0');
    },
  );

  it.each(Object.entries(setupSteps))('setup %s can start with', (step, Config) => {
    const service = compose.services[step];
    expect(service?.command).toEqual(['apps/setup/dist/main.js', step]);
    loadConfig<object>(Config, environmentOf(service ?? { image: '' }, example));
  });

  it('gives NATS every password its configuration reads, in the form it can read', () => {
    const configuration = readWorkspaceFile('deploy/nats/nats.conf').replace(/#.*$/gm, '');
    const read = [...configuration.matchAll(/:\s*\$([A-Z_]+)/g)].map(([, name]) => name as string);
    const given = environmentOf(compose.services.nats ?? { image: '' }, example);
    expect(Object.keys(given).sort()).toEqual([...new Set(read)].sort());
    for (const [name, value] of Object.entries(given)) {
      if (name.endsWith('_PASSWORD')) expect(value).toMatch(/^[A-Za-z][A-Za-z0-9]*$/);
    }
  });

  it('lets each service in as the NATS user of its name', () => {
    const configuration = readWorkspaceFile('deploy/nats/nats.conf');
    for (const [, service] of servicesOfApps) {
      const { NATS_USER: user, NATS_PASSWORD: password } = environmentOf(service, example);
      if (user === undefined) continue;
      expect(user).toBe(appOf(service));
      expect(password).toBe(example[`NATS_${user.toUpperCase()}_PASSWORD`]);
      expect(configuration).toMatch(new RegExp(`user: ${user}\\b`));
    }
  });

  it('names the addresses a new chain gives the contracts', () => {
    const from = computeAddress(example.CHAIN_DEPLOYER_KEY ?? '');
    expect(example.CHAIN_USDC_ADDRESS).toBe(getCreateAddress({ from, nonce: 0 }).toLowerCase());
    expect(example.CHAIN_SETTLEMENT_ADDRESS).toBe(getCreateAddress({ from, nonce: 1 }).toLowerCase());
  });

  it('names the accounts that billing signs with', () => {
    for (const name of ['SETTLER', 'PAYER']) {
      const key = example[`${name}_KEY`] ?? '';
      expect(example[`CHAIN_${name}`]).toBe(computeAddress(key).toLowerCase());
    }
  });

  it('shows the portal where its ports are, with development wallets of which one is the operator’s', () => {
    const gateway = environmentOf(compose.services.gateway ?? { image: '' }, example);
    expect(gateway.PORTAL_ORIGINS).toBe(
      ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${example.GATEWAY_PORT}`).join(','),
    );
    expect(gateway.PORTAL_CHAIN_RPC_URL).toBe(`http://127.0.0.1:${example.CHAIN_PORT}`);
    const addresses = gateway.PORTAL_DEVELOPMENT_WALLETS?.split(',').map((one) =>
      computeAddress(one.split('=')[1] ?? '').toLowerCase(),
    );
    expect(addresses).toHaveLength(3);
    expect(addresses).toContain(gateway.OPERATOR_WALLETS);
    expect(addresses).not.toContain(example.CHAIN_SETTLER);
  });

  it('gives dispatch the key to what the gateway seals', () => {
    expect(credentialPublicKeyOf(example.CREDENTIAL_KEY ?? '')).toBe(example.CREDENTIAL_PUBLIC_KEY);
  });

  it('has the demo vendor serve what the seed says it answers for', () => {
    const seedEnvironment = environmentOf(compose.services.seed ?? { image: '' }, example);
    const seed = JSON.parse(readWorkspaceFile(seedEnvironment.SEED_FILE ?? '')) as CatalogueSeed;
    const { hostname, port, pathname } = new URL(seedEnvironment.SEED_VENDOR_URL ?? '');
    const vendor = environmentOf(compose.services[hostname] ?? { image: '' }, example);
    expect([port, pathname]).toEqual([vendor.HTTP_PORT, '/v1']);
    expect(vendor.PROVIDER_MODEL?.split(',')).toEqual(seed.managed.map(({ upstreamModel }) => upstreamModel));
  });

  it('has every demo provider offer what it serves, where it is', async () => {
    const seedEnvironment = environmentOf(compose.services.seed ?? { image: '' }, example);
    const { SEED_FILE = '', SEED_PROVIDERS = '', SEED_PROVIDERS_DIR = '' } = seedEnvironment;
    const seed = JSON.parse(readWorkspaceFile(SEED_FILE)) as CatalogueSeed;
    const providers = parseSeedProviders(SEED_PROVIDERS);
    const market = {
      url: seedEnvironment.SEED_MARKET_URL ?? '',
      chainId: 1,
      settlement: '',
      chainRpcUrl: '',
    };
    const folder = mkdtempSync(join(tmpdir(), 'svc-compose-'));
    const catalogue = buildCatalogue(seed, providers, { environment: ENVIRONMENTS.testnet });
    const written = await writeProviderFiles(folder, seed, catalogue, providers, market);
    expect(providers).toHaveLength(2);
    for (const { name, file } of written) {
      const path = file.replace(folder, SEED_PROVIDERS_DIR);
      const job = compose.services[name.replace('demo-', 'offer-')];
      expect(job?.command).toEqual([
        'apps/provider-node/dist/svc-provider.js',
        ...['offer', '--exact', `--file=${path}`],
      ]);
      const { offers } = parse(readFileSync(file, 'utf8')) as {
        offers: { endpoint: string; upstream_model: string }[];
      };
      expect(offers).toHaveLength(3);
      for (const { endpoint, upstream_model } of offers) {
        const { hostname, port, pathname } = new URL(endpoint);
        const provider = environmentOf(compose.services[hostname] ?? { image: '' }, example);
        expect([port, pathname]).toEqual([provider.HTTP_PORT, '/v1']);
        expect(provider.PROVIDER_MODEL?.split(',')).toContain(upstream_model);
      }
    }
    const { hostname, port } = new URL(market.url);
    expect(environmentOf(compose.services[hostname] ?? { image: '' }, example).HTTP_PORT).toBe(port);
    rmSync(folder, { recursive: true });
  });
});
