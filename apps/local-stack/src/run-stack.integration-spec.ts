import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnvironmentName } from '@svc/environment';
import { isAlive, unusedPort } from '@svc/local-servers';
import type { Ready } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import { runStack } from './run-stack';

const clone = join(__dirname, '../../..');

/** Stands for every service: ready at once, and tells what it was given. With a file `main.js.fail` beside it, it ends instead. */
const pretendService = `
const { createServer } = require('node:http');
const { existsSync } = require('node:fs');
if (existsSync(__filename + '.fail')) { console.error('cannot go on'); process.exit(3); }
const given = (name) => process.env[name] ?? null;
const models = require('../../../deploy/seed/local.json').models.map(({ id }) => ({ id, svc: { pricing: {} } }));
const refused = { state: 'refused', reason: { code: 'plain', message: 'no reply' }, certification: { certification_id: 'crt_1' } };
const offers = (wallet) => models.map(({ id: model }) => ({ model, ...(wallet.endsWith('2') && model.includes('text') ? refused : { state: 'live' }) }));
const answer = ({ pathname, searchParams }) => pathname === '/v1/models'
  ? { data: models }
  : pathname.startsWith('/v1/providers/') ? { offers: offers(pathname) }
  : Object.fromEntries(searchParams.getAll('env').map((name) => [name, given(name)]));
createServer((request, response) => response.end(JSON.stringify(answer(new URL(request.url, 'http://x'))))).listen(Number(process.env.HTTP_PORT), process.env.HTTP_HOST);
process.on('SIGTERM', () => process.exit(0));
`;

const pretendSetup = `
const { readFileSync, writeFileSync, existsSync } = require('node:fs');
const file = process.env.STATE_FILE;
const state = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const results = {
  migrate: {},
  contracts: { usdc: '0xusdc', settlement: '0xsettlement' },
  seed: {
    apiKey: 'svc_test_key', wallet: '0xwallet', walletPrivateKey: '0xkey',
    seeded: process.env.SEED_PROVIDERS, vendor: process.env.SEED_VENDOR_URL,
    providers: JSON.parse(process.env.SEED_PROVIDERS ?? '[]').map(({ name }, index) => (
      { name, wallet: '0x' + (index + 1), file: process.env.SEED_PROVIDERS_DIR + '/' + name + '/svc-provider.yaml' }
    )),
  },
};
writeFileSync(file, JSON.stringify({ ...state, ...results[process.argv[2]] }));
`;

/** Says what it was called with; the second provider's offers are refused in part, and what is stuck cannot be withdrawn. */
const pretendCommand = `
console.log(process.argv.slice(2).join(' '));
if (process.argv.join(' ').includes('provider-stuck')) {
  console.error("chain.settlement: the market's contract is 0x5; nothing was signed");
  process.exit(2);
}
process.exitCode = process.argv[2] === 'offer' && process.argv.at(-1).includes('demo-2') ? 1 : 0;
`;

const services = ['gateway', 'catalog', 'cortex', 'dispatch', 'billing', 'provider-node'];

describe('runStack', () => {
  let root: string;
  let stateDir: string;
  let lines: string[];
  let cancel: AbortController;
  let running: Promise<number> | undefined;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-stack-'));
    stateDir = join(root, '.local');
    lines = [];
    cancel = new AbortController();
    cpSync(join(clone, 'deploy'), join(root, 'deploy'), { recursive: true });
    for (const app of services) writeApp(app, pretendService);
    writeApp('setup', pretendSetup);
    mkdirSync(join(root, 'apps/portal/dist'), { recursive: true });
    writeFileSync(join(root, 'apps/portal/dist/index.html'), 'the page');
    writeFileSync(join(root, 'apps/provider-node/dist/svc-provider.js'), pretendCommand);
  });

  afterEach(async () => {
    cancel.abort(new Error('the test is over'));
    await running;
    rmSync(root, { recursive: true, force: true });
  });

  function writeApp(app: string, script: string): void {
    mkdirSync(join(root, 'apps', app, 'dist'), { recursive: true });
    writeFileSync(join(root, 'apps', app, 'dist/main.js'), script);
  }

  function start(dispatch = 1, environment: EnvironmentName = 'testnet'): Promise<number> {
    running = runStack({
      root,
      environment,
      stateDir,
      commandLine: { replicas: { gateway: 1, dispatch } },
      progress: {
        step: async (title, work) => {
          try {
            const result = await work();
            lines.push(`done ${title}`);
            return result;
          } catch (error) {
            lines.push(`failed ${title}`);
            throw error;
          }
        },
        say: (text) => lines.push(text),
      },
      signal: cancel.signal,
      startedAtMs: performance.now(),
    });
    return running;
  }

  function readReady(): Ready | undefined {
    const file = join(stateDir, 'ready.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Ready) : undefined;
  }

  async function untilReady(): Promise<Ready> {
    return eventually(readReady, { timeoutMs: 120_000 });
  }

  it('comes up in order, says what it is, and leaves no process', async () => {
    const exit = start(2);
    const ready = await untilReady();
    expect(ready).toMatchObject({
      environment: 'testnet',
      apiKey: 'svc_test_key',
      wallet: '0xwallet',
      walletPrivateKey: '0xkey',
      usdc: '0xusdc',
      settlement: '0xsettlement',
    });
    expect(ready.gateways).toEqual([ready.gateway]);
    expect(ready.portal).toBe(`${ready.gateway}/portal/`);
    expect(ready.gateway).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const counts = Object.fromEntries(
      Object.entries(ready.processes).map(([name, pids]) => [name, pids.length]),
    );
    expect(counts).toEqual({
      ...{ nats: 1, postgres: 1, chain: 1, 'provider-node': 2, 'vendor-node': 1 },
      ...{ gateway: 1, catalog: 1, cortex: 1, dispatch: 2, billing: 1 },
    });
    const order = ['postgres', 'migrate', 'billing', 'seed', 'provider-demo-1 offers', 'open market'].map(
      (step) => lines.indexOf(`done ${step}`),
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(lines.at(-1)).toContain(`${ready.gateway}/v1`);
    expect(lines.at(-1)).toContain(`Portal     ${ready.gateway}/portal/`);
    expect(lines.at(-1)).toContain('Not live   svc/demo-text@1: refused by plain: no reply; report');
    for (const name of ['ready.json', 'secrets.json'])
      expect(statSync(join(stateDir, name)).mode & 0o777).toBe(0o600);

    cancel.abort(new Error('SIGTERM'));
    expect(await exit).toBe(0);
    expect(Object.values(ready.processes).flat().filter(isAlive)).toEqual([]);
    expect(lines.filter((line) => line.startsWith('done stop'))).toEqual([
      'done stop gateway',
      'done stop dispatch, cortex',
      'done stop billing, catalog, provider-node, vendor-node',
      'done stop nats, postgres, chain',
    ]);
    expect(readReady()).toBeUndefined();
  });

  it('tells each service its own secrets only', async () => {
    void start();
    const ready = await untilReady();
    const ask = async (url: string): Promise<Record<string, string | null>> => {
      const names = ['NATS_USER', 'NATS_PASSWORD', 'KEY_PEPPER', 'DATABASE_URL'];
      const query = names.map((name) => `env=${name}`).join('&');
      return (await (await fetch(`${url}/?${query}`)).json()) as Record<string, string | null>;
    };
    const gateway = await ask(ready.gateway);
    expect(gateway).toMatchObject({ NATS_USER: 'gateway', DATABASE_URL: null });
    expect(gateway.KEY_PEPPER).not.toBeNull();
    const [provider] = JSON.parse(
      (JSON.parse(readFileSync(join(stateDir, 'state.json'), 'utf8')) as { seeded: string }).seeded,
    ) as { endpoint: string }[];
    expect(await ask(new URL(provider?.endpoint ?? '').origin)).toEqual({
      ...{ NATS_USER: null, NATS_PASSWORD: null, KEY_PEPPER: null, DATABASE_URL: null },
    });
  });

  it('runs in the environment it is told to, whatever the caller has in its own', async () => {
    process.env.SVC_ENVIRONMENT = 'testnet';
    try {
      void start(1, 'production');
      const ready = await untilReady();
      expect(ready.environment).toBe('production');
      expect(await (await fetch(`${ready.gateway}/?env=SVC_ENVIRONMENT`)).json()).toEqual({
        SVC_ENVIRONMENT: 'production',
      });
      expect(lines.at(-1)).toContain('Production environment, on a local chain');
    } finally {
      delete process.env.SVC_ENVIRONMENT;
    }
  });

  it('keeps the ports that offers name, and withdraws what the last start offered and this one does not', async () => {
    const gone = join(stateDir, 'providers/provider-gone');
    mkdirSync(gone, { recursive: true });
    const port = await unusedPort();
    writeFileSync(join(stateDir, 'ports.json'), JSON.stringify({ 'provider-demo-1': port }));
    void start();
    const { gateway } = await untilReady();
    const state = JSON.parse(readFileSync(join(stateDir, 'state.json'), 'utf8')) as {
      seeded: string;
      vendor: string;
    };
    const [first, second] = JSON.parse(state.seeded) as { endpoint: string }[];
    expect(first?.endpoint).toBe(`http://127.0.0.1:${port}/v1`);
    const kept = JSON.parse(readFileSync(join(stateDir, 'ports.json'), 'utf8')) as object;
    expect(kept).toEqual({
      'provider-demo-1': port,
      'provider-demo-2': Number(new URL(second!.endpoint).port),
      'vendor-demo': Number(new URL(state.vendor).port),
    });
    const log = readFileSync(join(stateDir, 'logs/provider-gone-offers.log'), 'utf8');
    expect(log).toContain(`withdraw --all --file ${gone}/svc-provider.yaml --url ${gateway}`);
    expect(existsSync(gone)).toBe(false);
  });

  it('opens where what the last start offered cannot be withdrawn, says so, and keeps it for the next start', async () => {
    const [stuck, gone] = ['provider-stuck', 'provider-gone'].map((name) =>
      join(stateDir, 'providers', name),
    );
    for (const folder of [stuck!, gone!]) mkdirSync(folder, { recursive: true });
    void start();
    await untilReady();
    expect(lines).toContain(
      "  ! provider-stuck has not withdrawn: chain.settlement: the market's contract is 0x5; nothing was signed; " +
        `the next start tries again, unless ${stuck} is removed`,
    );
    expect(existsSync(stuck!)).toBe(true);
    expect(existsSync(gone!)).toBe(false);
    expect(lines.at(-1)).toContain('svc is ready');
  });

  it('uses several NATS servers of the caller', async () => {
    process.env.NATS_URL = 'nats://any:secret@127.0.0.1:4801,nats://any:secret@127.0.0.1:4802';
    try {
      void start();
      const ready = await untilReady();
      const query = ['NATS_URL', 'NATS_USER', 'NATS_PASSWORD'].map((name) => `env=${name}`).join('&');
      expect(await (await fetch(`${ready.gateway}/?${query}`)).json()).toEqual({
        NATS_URL: 'nats://127.0.0.1:4801,nats://127.0.0.1:4802',
        NATS_USER: 'any',
        NATS_PASSWORD: 'secret',
      });
      expect(ready.natsUrl).toBe(process.env.NATS_URL);
      expect(ready.processes.nats).toBeUndefined();
    } finally {
      delete process.env.NATS_URL;
    }
  });

  it('gives each process longer to stop than it gives itself', async () => {
    process.env.SHUTDOWN_GRACE_MS = '60000';
    try {
      void start();
      const { gateway } = await untilReady();
      expect(await (await fetch(`${gateway}/?env=SHUTDOWN_GRACE_MS`)).json()).toEqual({
        SHUTDOWN_GRACE_MS: '60000',
      });
      for (const name of ['gateway', 'dispatch', 'provider-demo-1']) {
        const recorded = readFileSync(join(stateDir, 'run', `${name}.pid`), 'utf8');
        expect(JSON.parse(recorded)).toMatchObject({ stopGraceMs: 65_000 });
      }
    } finally {
      delete process.env.SHUTDOWN_GRACE_MS;
    }
  });

  it('starts again what is killed, servers included, and says so', async () => {
    void start();
    const { processes } = await untilReady();
    for (const name of ['billing', 'nats', 'postgres', 'chain']) {
      const [victim] = processes[name] ?? [];
      process.kill(victim!, 'SIGKILL');
      await eventually(
        () => {
          const [now] = readReady()?.processes[name] ?? [];
          return now !== undefined && now !== victim && isAlive(now);
        },
        { timeoutMs: 90_000 },
      );
      expect(lines).toContainEqual(expect.stringContaining(`${name} ended with signal SIGKILL`));
      expect(lines).toContainEqual(expect.stringContaining(`${name} is back`));
    }
  });

  it('goes on when it can no longer write what it runs, as on a full disk', async () => {
    const exit = start();
    const { processes } = await untilReady();
    mkdirSync(join(stateDir, 'ready.json.draft'));
    process.kill(processes.cortex![0]!, 'SIGKILL');
    const isTold = (what: string) => lines.some((line) => line.includes(what));
    await eventually(() => isTold('cortex is back'), { timeoutMs: 90_000 });
    expect(lines).toContainEqual(expect.stringMatching(/^! ready.json is out of date: .*EISDIR/));
    cancel.abort(new Error('SIGTERM'));
    expect(await exit).toBe(0);
  });

  it('takes down what is up when a service does not come up, and says why', async () => {
    writeFileSync(join(root, 'apps/billing/dist/main.js.fail'), '');
    expect(await start()).toBe(1);
    expect(lines.join('\n')).toMatch(/billing ended with code 3 before it answered[^]*cannot go on/);
    expect(lines.at(-1)).toBe('done stop nats, postgres, chain');
    expect(readReady()).toBeUndefined();
  });

  it('stops in the middle of coming up', async () => {
    const exit = start();
    await eventually(() => lines.includes('done nats'));
    cancel.abort(new Error('SIGINT'));
    expect(await exit).toBe(0);
    expect(lines.at(-1)).toBe('done stop nats, postgres, chain');
  });
});
