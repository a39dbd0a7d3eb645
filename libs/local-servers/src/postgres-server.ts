import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { postgresHome } from './binaries';
import { startChildServer } from './child-server';
import type { LocalServer } from './child-server';
import { postgresAccount } from './postgres-account';
import type { PostgresAccount } from './postgres-account';
import { prepareBinaries, removeStaleLock } from './postgres-files';
import { endStaleProcess } from './stale-process';
import { pause } from './wait';

interface PostgresOptions {
  /** Holds the cluster (`cluster/`), the pid file and, unless `logFile` says otherwise, the log. */
  dataDir: string;
  port: number;
  /** The password of the role `postgres`; used when the cluster is created. */
  superuserPassword: string;
  /** A database to connect to, made if there is none by that name; `postgres` unless told. */
  database?: string;
  logFile?: string;
  /** By default in `dataDir`. */
  pidFile?: string;
  signal?: AbortSignal;
  onSpawn?: (pid: number) => void;
}

/** For a machine with a few GB that runs everything else too; durability stays as in production. */
const settings: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  // The ledger's tables beyond it cost a quarter of its speed; only what is used is taken.
  shared_buffers: '512MB',
  fsync: 'on',
  synchronous_commit: 'on',
  wal_level: 'replica',
  // A checkpoint writes every changed page in full once more: under load one every few seconds would double the log.
  max_wal_size: '2GB',
  log_min_messages: 'warning',
  log_line_prefix: '%m [%p] %u@%d ',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/**
 * MB of a segment of the log, for clusters made here. A commit that needs a new one fills it with zeros first: 18 ms on a quiet machine for
 * the usual 16 MB, 7 for 4. Only what a checkpoint has left over is used again without.
 */
const walSegmentMegabytes = 4;
const stopGraceMs = 20_000;
/** The processes of a server that was killed end by themselves, a moment after it; until then its cluster is nobody else's. */
const formerGoneWithinMs = 30_000;
const stillInUse = /pre-existing shared memory block/;

/**
 * Starts PostgreSQL on 127.0.0.1, creating its cluster (UTF-8, C locale, scram passwords) on the first start. `url` is
 * the superuser's connection to `database`.
 * @throws Error with the last log lines when the server does not come up.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalServer> {
  const { dataDir, port, superuserPassword } = options;
  const cluster = join(dataDir, 'cluster');
  const pidFile = options.pidFile ?? join(dataDir, 'postgres.pid');
  const home = postgresHome();
  prepareBinaries(home);
  mkdirSync(dataDir, { recursive: true });
  const account = postgresAccount(join(home, 'bin/postgres'), dataDir);
  await endStaleProcess(pidFile, cluster, 'SIGINT', stopGraceMs);
  await createCluster(home, options, account);
  removeStaleLock(cluster);
  const urlOf = (database: string): string =>
    `postgresql://postgres:${encodeURIComponent(superuserPassword)}@127.0.0.1:${port}/${database}`;
  const database = options.database ?? 'postgres';
  const [command = '', ...args] = [
    ...account.prefix,
    join(home, 'bin/postgres'),
    ...['-D', cluster, '-p', String(port)],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const start = () =>
    startChildServer({
      name: 'postgres',
      url: urlOf(database),
      command,
      args,
      env: serverEnvironment(),
      cwd: cluster,
      logFile: options.logFile ?? join(dataDir, 'postgres.log'),
      pidFile,
      marker: cluster,
      isReady: () => hasDatabase(urlOf('postgres'), database),
      // Recovery after a crash replays the log before the first connection is let in.
      readyTimeoutMs: 60_000,
      // SIGINT is PostgreSQL's "fast" shutdown: clients are disconnected and a checkpoint is written.
      stopSignal: 'SIGINT',
      stopGraceMs,
      uid: account.uid,
      gid: account.gid,
      signal: options.signal,
      onSpawn: options.onSpawn,
    });
  return onceFormerIsGone(start, options.signal);
}

async function onceFormerIsGone(
  start: () => Promise<LocalServer>,
  signal?: AbortSignal,
): Promise<LocalServer> {
  const deadline = performance.now() + formerGoneWithinMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isHeld = error instanceof Error && stillInUse.test(error.message);
      if (!isHeld || performance.now() > deadline) throw error;
    }
    await pause(100, signal);
  }
}

/** Creates the cluster unless it is whole. A half-built one (no completion mark) is thrown away. */
async function createCluster(
  home: string,
  options: PostgresOptions,
  account: PostgresAccount,
): Promise<void> {
  const cluster = join(options.dataDir, 'cluster');
  const complete = join(options.dataDir, 'cluster.complete');
  if (existsSync(complete)) return;
  const passwordFile = join(options.dataDir, 'initdb-password');
  rmSync(cluster, { recursive: true, force: true });
  mkdirSync(cluster, { mode: 0o700 });
  account.own(cluster);
  writeFileSync(passwordFile, `${options.superuserPassword}\n`, { mode: 0o600 });
  account.own(passwordFile);
  try {
    await run(
      [
        ...account.prefix,
        join(home, 'bin/initdb'),
        ...['-D', cluster, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
        ...['--encoding=UTF8', '--locale=C', `--wal-segsize=${walSegmentMegabytes}`, '--no-instructions'],
      ],
      account,
      options.signal,
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
  chmodSync(cluster, 0o700);
  writeFileSync(complete, '');
}

function run(command: readonly string[], account: PostgresAccount, signal?: AbortSignal): Promise<void> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const ids = { uid: account.uid, gid: account.gid };
    const child = spawn(program, args, {
      ...ids,
      cwd: '/',
      env: serverEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    });
    let output = '';
    const collect = (data: Buffer): void => {
      output = (output + data.toString('utf8')).slice(-4_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    let failure: Error | undefined;
    child.once('error', (error) => {
      failure = error;
    });
    // Also what could not be started or was cancelled closes its streams, and is gone only then.
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(failure ?? new Error(`initdb ended with code ${code ?? 'unknown'}:\n${output.trim()}`));
    });
  });
}

function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** Whether the server answers and has the database; makes it if it has not. */
async function hasDatabase(url: string, database: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // An error after the connection was lost has nobody else to go to.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
