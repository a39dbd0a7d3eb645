import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { anvilBinary } from './binaries';
import { readChainId } from './chain-id';
import { repairChainState } from './chain-state';
import { startChildServer } from './child-server';
import type { LocalServer } from './child-server';
import { endStaleProcess } from './stale-process';

/** The chain id of a local chain (the usual one of development nodes). */
export const localChainId = 31_337;

interface AnvilOptions {
  /** Holds the chain's state file, the pid file and, unless `logFile` says otherwise, the log. */
  dataDir: string;
  port: number;
  logFile?: string;
  /** By default in `dataDir`. */
  pidFile?: string;
  signal?: AbortSignal;
  onSpawn?: (pid: number) => void;
}

/** How often the state is written, so that a killed chain loses little. */
const stateIntervalSeconds = 2;
const stopGraceMs = 15_000;

/**
 * Starts a local EVM chain on 127.0.0.1, chain id 31337, with the development mnemonic's ten funded accounts, and a block for each
 * transaction. Its state is kept in `dataDir` between starts. `url` is its JSON-RPC address.
 * @throws Error with the last log lines when the chain does not come up.
 */
export async function startAnvil(options: AnvilOptions): Promise<LocalServer> {
  const { dataDir, port } = options;
  mkdirSync(dataDir, { recursive: true });
  const url = `http://127.0.0.1:${port}`;
  const stateFile = join(dataDir, 'state.json');
  const pidFile = options.pidFile ?? join(dataDir, 'chain.pid');
  // An orphan writes its state as it ends, so it has to go before the state is looked at.
  await endStaleProcess(pidFile, dataDir, 'SIGINT', stopGraceMs);
  repairChainState(stateFile);
  return startChildServer({
    name: 'chain',
    url,
    command: anvilBinary(),
    args: [
      ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(localChainId), '--silent'],
      ...['--state', stateFile, '--state-interval', String(stateIntervalSeconds)],
      // Its cache of old blocks' states would otherwise lie in the home directory.
      ...['--cache-path', join(dataDir, 'cache')],
    ],
    env: { HOME: dataDir, RUST_LOG: 'error' },
    cwd: dataDir,
    logFile: options.logFile ?? join(dataDir, 'chain.log'),
    pidFile,
    marker: dataDir,
    isReady: async () => (await readChainId(url, 1_000)) === localChainId,
    readyTimeoutMs: 30_000,
    stopSignal: 'SIGINT',
    stopGraceMs,
    signal: options.signal,
    onSpawn: options.onSpawn,
  });
}
