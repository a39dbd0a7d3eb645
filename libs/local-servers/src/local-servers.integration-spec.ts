import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import { Client } from 'pg';
import { startAnvil } from './anvil-server';
import type { LocalServer } from './child-server';
import { freePort, unusedPort } from './free-port';
import { spawnLogged } from './logged-child';
import { startNats } from './nats-server';
import { startPostgres } from './postgres-server';
import { commandLineOf, isAlive } from './process-identity';
import { endProcess } from './stale-process';
import { becomesTrue } from './wait';

const openConfig = `
host: $NATS_HOST
port: $NATS_PORT
jetstream { store_dir: $NATS_STORE_DIR }
authorization { user: any, password: $NATS_ANY_PASSWORD }
`;

let directory: string;
const started: LocalServer[] = [];

beforeEach(() => {
  // As people name folders.
  directory = mkdtempSync(join(tmpdir(), 'svc servers, it’s #1 - '));
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
  rmSync(directory, { recursive: true, force: true });
});

async function keep(start: Promise<LocalServer>): Promise<LocalServer> {
  const server = await start;
  started.push(server);
  return server;
}

async function nats(overrides: Partial<Parameters<typeof startNats>[0]> = {}): Promise<LocalServer> {
  const configFile = join(directory, 'open.conf');
  writeFileSync(configFile, openConfig);
  return keep(
    startNats({
      dataDir: join(directory, 'nats'),
      port: await freePort(),
      configFile,
      env: { NATS_ANY_PASSWORD: 'secret' },
      ...overrides,
    }),
  );
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

async function rpc(url: string, method: string, params: unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const reply = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { result: unknown };
  return reply.result;
}

describe('NATS', () => {
  it('keeps its streams between starts and leaves no process', async () => {
    const first = await nats();
    const connection = await connect({ servers: first.url, user: 'any', pass: 'secret' });
    await (await connection.jetstream().views.kv('kept')).put('key', 'value');
    await connection.close();
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
    const again = await connect({ servers: (await nats()).url, user: 'any', pass: 'secret' });
    expect((await (await again.jetstream().views.kv('kept')).get('key'))?.string()).toBe('value');
    await again.close();
  });

  it('ends one that outlived its killed parent', async () => {
    const orphan = await nats();
    const second = await nats();
    expect(isAlive(orphan.pid)).toBe(false);
    expect(isAlive(second.pid)).toBe(true);
  });

  it.each([
    ['its start time differs', 'nats.pid', { startedAt: 'another boot:1' }],
    ['its command line lacks the data directory', 'nats.pid', {}],
  ])('leaves a stranger with a recorded pid alone when %s', async (_why, name, change) => {
    const stranger = await nats({ dataDir: join(directory, 'stranger') });
    const recorded = JSON.parse(readFileSync(join(directory, 'stranger/nats.pid'), 'utf8')) as object;
    mkdirSync(join(directory, 'nats'));
    writeFileSync(join(directory, 'nats', name), JSON.stringify({ ...recorded, ...change }));
    await nats();
    expect(isAlive(stranger.pid)).toBe(true);
  });

  it('says why it does not start, with the end of its log', async () => {
    await expect(nats({ env: {} })).rejects.toThrow(
      /nats ended with code 1 before it answered[^]*NATS_ANY_PASSWORD/,
    );
  });

  it('stops a start that is cancelled', async () => {
    const cancel = new AbortController();
    let pid = 0;
    const start = nats({
      signal: cancel.signal,
      onSpawn: (spawned) => {
        pid = spawned;
        cancel.abort(new Error('enough'));
      },
    });
    await expect(start).rejects.toThrow('enough');
    expect(isAlive(pid)).toBe(false);
  });
});

describe('PostgreSQL', () => {
  async function postgres(): Promise<LocalServer> {
    const dataDir = join(directory, 'postgres');
    return keep(startPostgres({ dataDir, port: await freePort(), superuserPassword: "it's / a: secret" }));
  }

  it('creates its cluster once, durable and in UTF-8, and keeps its data', async () => {
    const first = await postgres();
    await query(first.url, `CREATE TABLE kept AS SELECT 'ü' AS letter`);
    await first.stop();
    const again = await postgres();
    expect(await query(again.url, 'SELECT letter, octet_length(letter) AS bytes FROM kept')).toEqual([
      { letter: 'ü', bytes: 2 },
    ]);
    const settings = `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
      current_setting('server_encoding') AS encoding, current_setting('password_encryption') AS passwords,
      current_setting('wal_segment_size') AS segment`;
    expect(await query(again.url, settings)).toEqual([
      { fsync: 'on', commit: 'on', encoding: 'UTF8', passwords: 'scram-sha-256', segment: '4MB' },
    ]);
    const wrong = new URL(again.url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('comes back after SIGKILL, over a lock file that names a stranger', async () => {
    const first = await postgres();
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS number');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const lock = join(directory, 'postgres/cluster/postmaster.pid');
    const [, ...rest] = readFileSync(lock, 'utf8').split('\n');
    writeFileSync(lock, [String(process.pid), ...rest].join('\n'));
    const again = await postgres();
    expect(await query(again.url, 'SELECT number FROM kept')).toEqual([{ number: 1 }]);
  });

  it('comes back while a process of the killed one still has its memory', async () => {
    const first = await postgres();
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS number');
    const [lasting = NaN] = childrenOf(first.pid);
    process.kill(lasting, 'SIGSTOP');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const again = postgres();
    const log = join(directory, 'postgres/postgres.log');
    try {
      const isRefused = () => readFileSync(log, 'utf8').includes('pre-existing shared memory block');
      expect(await becomesTrue(isRefused, 30_000)).toBe(true);
    } finally {
      process.kill(lasting, 'SIGCONT');
    }
    expect(await query((await again).url, 'SELECT number FROM kept')).toEqual([{ number: 1 }]);
  });

  it('begins again where the first start was cut short', async () => {
    mkdirSync(join(directory, 'postgres/cluster/base'), { recursive: true });
    const server = await postgres();
    expect(await query(server.url, 'SELECT 1 AS number')).toEqual([{ number: 1 }]);
  });
});

describe('anvil', () => {
  async function anvil(): Promise<LocalServer> {
    return keep(startAnvil({ dataDir: join(directory, 'chain'), port: await freePort() }));
  }

  const transfer = {
    from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    to: '0x00000000000000000000000000000000000000aa',
    value: '0x1',
  };

  async function mine(url: string): Promise<unknown> {
    const hash = await rpc(url, 'eth_sendTransaction', [transfer]);
    const mined = async (): Promise<boolean> =>
      (await rpc(url, 'eth_getTransactionReceipt', [hash])) !== null;
    expect(await becomesTrue(mined, 30_000)).toBe(true);
    return hash;
  }

  it('keeps blocks and receipts between starts', async () => {
    const first = await anvil();
    const hash = await mine(first.url);
    await first.stop();
    const again = await anvil();
    expect(await rpc(again.url, 'eth_chainId')).toBe('0x7a69');
    expect(await rpc(again.url, 'eth_blockNumber')).toBe('0x1');
    expect(await rpc(again.url, 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
  });

  it('starts from the last whole state when the newest is torn', async () => {
    const first = await anvil();
    await mine(first.url);
    await first.stop();
    await (await anvil()).stop();
    const state = join(directory, 'chain/state.json');
    writeFileSync(state, readFileSync(state, 'utf8').slice(0, 100));
    const again = await anvil();
    expect(await rpc(again.url, 'eth_blockNumber')).toBe('0x1');
    expect(existsSync(`${state}.torn`)).toBe(true);
  });
});

describe('the log of a child', () => {
  it('is turned over while it is written, and no line is lost that comes before and after', async () => {
    const logFile = join(directory, 'chatty.log');
    // As much as a log may hold, at once, and one line more; then, once it was turned over, a line now and then: what is written while
    // it is being emptied may be lost.
    const script = `
      const { fstatSync, writeSync } = require('node:fs');
      const line = (number) => String(number).padStart(99, '0') + '\\n';
      const most = Math.floor((20 * 1024 * 1024) / 100);
      writeSync(1, Array.from({ length: most }, (_, index) => line(index)).join(''));
      let next = most;
      writeSync(1, line(next++));
      setInterval(() => fstatSync(1).size < 1_000_000 && writeSync(1, line(next++)), 20);`;
    const child = await spawnLogged({
      ...{ name: 'chatty', command: process.execPath, args: ['-e', script], env: {}, cwd: directory },
      ...{ logFile, pidFile: join(directory, 'chatty.pid'), stopSignal: 'SIGTERM', stopGraceMs: 1_000 },
    });
    const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    try {
      const isTurnedOver = () => sizeOf(`${logFile}.1`) > 0 && sizeOf(logFile) > 1_000;
      expect(await becomesTrue(isTurnedOver, 60_000)).toBe(true);
    } finally {
      await endProcess(child.pid, 'SIGTERM', 1_000);
      await child.exited;
    }
    expect(sizeOf(logFile)).toBeLessThan(1_000_000);
    const lines = [`${logFile}.1`, logFile].flatMap((file) =>
      readFileSync(file, 'utf8').trimEnd().split('\n'),
    );
    expect(lines.findIndex((line, index) => Number(line) !== index)).toBe(-1);
  });
});

it('a child that cannot be recorded, as on a full disk, is not left running', async () => {
  const pidFile = join(directory, 'lost.pid');
  symlinkSync('/dev/full', pidFile);
  const script = `setInterval(() => 0, 1_000); // ${directory}`;
  const child = spawnLogged({
    ...{ name: 'lost', command: process.execPath, args: ['-e', script], env: {}, cwd: directory },
    ...{ logFile: join(directory, 'lost.log'), pidFile, stopSignal: 'SIGTERM', stopGraceMs: 1_000 },
  });
  await expect(child).rejects.toThrow('ENOSPC');
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  expect(pids.filter((pid) => commandLineOf(pid)?.includes(directory))).toEqual([]);
});

describe('freePort', () => {
  const choosers: PortChooser[] = [];

  afterEach(async () => {
    await Promise.all(choosers.splice(0).map((chooser) => chooser.kill()));
  });

  async function choose(preferred: number): Promise<PortChooser> {
    const chooser = await PortChooser.start(preferred);
    choosers.push(chooser);
    return chooser;
  }

  it('takes the preferred port if it is free, another if not, and none twice', async () => {
    const taken = createServer();
    const preferred = await freePort();
    await new Promise<void>((resolve) => taken.listen(preferred, '127.0.0.1', resolve));
    const other = await freePort(preferred);
    expect(other).not.toBe(preferred);
    expect(await freePort(other)).not.toBe(other);
    await new Promise((resolve) => taken.close(resolve));
  });

  it('says of none that it is unused that a process has been given, or is given later when it takes any', async () => {
    const given = new Set<number>();
    const giveMany = async () => {
      for (const most = given.size + 150; given.size < most;) given.add(await freePort());
    };
    await giveMany();
    const unused = await Promise.all(Array.from({ length: 300 }, () => unusedPort()));
    await giveMany();
    expect(unused.filter((port) => given.has(port))).toEqual([]);
  });

  it('gives a port to one of two processes that choose at the same time, and again when that one has ended', async () => {
    const port = await unusedPort();
    const both = await Promise.all([choose(port), choose(port)]);
    const chosen = both.map((chooser) => chooser.port);
    expect(chosen).toContain(port);
    expect(chosen[0]).not.toBe(chosen[1]);
    await both[chosen.indexOf(port)]?.kill();
    expect((await choose(port)).port).toBe(port);
  });
});

/** A process of its own that has chosen a port, lives on, and listens nowhere yet. */
class PortChooser {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  static async start(preferred: number): Promise<PortChooser> {
    const script = `require(process.argv[1]).freePort(${preferred}).then(console.log); setInterval(() => {}, 1e6);`;
    const child = spawn(process.execPath, ['-e', script, join(__dirname, '../dist')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return new PortChooser(Number(line), child);
  }

  async kill(): Promise<void> {
    if (this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
