import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { natsServerBinary } from './binaries';
import { startChildServer } from './child-server';
import type { LocalServer } from './child-server';

interface NatsOptions {
  /** Holds JetStream's files, the pid file and, unless `logFile` says otherwise, the log. */
  dataDir: string;
  port: number;
  /** The server's configuration; it reads NATS_HOST, NATS_PORT, NATS_STORE_DIR and the passwords from `env`. */
  configFile: string;
  /** The passwords the configuration names. Nothing else of the caller's environment is passed on. */
  env: Record<string, string>;
  logFile?: string;
  /** By default in `dataDir`. */
  pidFile?: string;
  signal?: AbortSignal;
  onSpawn?: (pid: number) => void;
}

/**
 * Of a machine that everybody else works on too. With all of them its idle threads look for work in turn: a fifth of what it costs, and
 * half of its waits for a processor, at 200 requests a second on two cores.
 */
const processors = Math.max(1, Math.floor(availableParallelism() / 4));

/**
 * Starts NATS with JetStream on 127.0.0.1. `url` is `nats://127.0.0.1:<port>`, without credentials.
 * @throws Error with the last log lines when the server does not come up.
 */
export async function startNats(options: NatsOptions): Promise<LocalServer> {
  const { dataDir, port, configFile } = options;
  mkdirSync(dataDir, { recursive: true });
  return startChildServer({
    name: 'nats',
    url: `nats://127.0.0.1:${port}`,
    command: natsServerBinary(),
    // The server's own pid file is not read; its path on the command line tells this server from another.
    args: ['-c', configFile, '-P', join(dataDir, 'nats-server.pid')],
    // The configuration takes variables as values of its own syntax: quoted, a path may hold blanks.
    env: {
      ...options.env,
      GOMAXPROCS: String(processors),
      NATS_HOST: '127.0.0.1',
      NATS_PORT: String(port),
      NATS_STORE_DIR: JSON.stringify(dataDir),
    },
    cwd: dataDir,
    logFile: options.logFile ?? join(dataDir, 'nats.log'),
    pidFile: options.pidFile ?? join(dataDir, 'nats.pid'),
    marker: dataDir,
    isReady: () => greets(port),
    readyTimeoutMs: 20_000,
    stopSignal: 'SIGINT',
    stopGraceMs: 10_000,
    signal: options.signal,
    onSpawn: options.onSpawn,
  });
}

/** Whether the server says `INFO {...}`, the first line of the NATS client protocol. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => {
      finish(false);
    });
    socket.once('error', () => {
      finish(false);
    });
    socket.once('data', (data) => {
      finish(data.toString('utf8', 0, 5) === 'INFO ');
    });
  });
}
