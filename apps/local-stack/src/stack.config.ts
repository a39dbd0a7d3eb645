import { join } from 'node:path';
import { readNatsServers } from './nats-servers';
import type { ReplicaRange } from './replica-scaling';

/** Real servers to use instead of local ones. */
interface ExternalServers {
  /** One server's, or several with commas between. */
  natsUrl?: string;
  databaseUrl?: string;
  chainRpcUrl?: string;
}

/** An OpenAI-compatible server to put into the market beside the demo providers. */
export interface UpstreamOption {
  url: string;
  model: string;
  apiKey?: string;
}

/** What `npm start -- …` was asked for: read by tools/start-options.mjs, before this is built. */
export interface CommandLine {
  upstream?: UpstreamOption;
  /** How many processes of a service; one unless told. */
  replicas: Readonly<Record<'gateway' | 'dispatch', number>>;
  /** Within it the number of dispatch processes follows the load; it begins with the least. */
  dispatchRange?: ReplicaRange;
}

/** The command line, and what the environment says. */
export interface StackOptions extends CommandLine {
  external: ExternalServers;
  /** How long each process may take to finish what it has under way when it is to stop. */
  shutdownGraceMs: number;
}

/** Where the clone and this stack's state lie. */
export interface StackPaths {
  root: string;
  stateDir: string;
  logs: string;
  /** Pid files of everything that runs. */
  run: string;
  readyFile: string;
  /** Written by apps/setup. */
  stateFile: string;
  secretsFile: string;
  /** Which ports providers and the demo vendor had: what is defined of them names these. */
  portsFile: string;
  /** A folder for each provider of the seed, with what `svc-provider` needs. */
  providers: string;
  seedFile: string;
}

/** Shorter than what services grant themselves: whoever pressed Ctrl-C waits for it. */
const usualGraceMs = 10_000;

/**
 * Reads the environment beside the command line.
 * @throws Error with one line for the user when something does not fit
 */
export function readOptions(commandLine: CommandLine, env: NodeJS.ProcessEnv): StackOptions {
  const { upstream, replicas, dispatchRange } = commandLine;
  refuseSharedPort(env.METRICS_PORT, replicas.gateway);
  return {
    external: {
      natsUrl: natsUrlIn(env.NATS_URL),
      databaseUrl: urlIn('DATABASE_URL', env.DATABASE_URL, ['postgresql:', 'postgres:']),
      chainRpcUrl: urlIn('CHAIN_RPC_URL', env.CHAIN_RPC_URL, ['http:', 'https:']),
    },
    upstream: upstream && { ...upstream, apiKey: upstream.apiKey ?? env.UPSTREAM_API_KEY },
    replicas,
    dispatchRange,
    shutdownGraceMs: millisecondsIn('SHUTDOWN_GRACE_MS', env.SHUTDOWN_GRACE_MS) ?? usualGraceMs,
  };
}

export function stackPaths(root: string, stateDir: string): StackPaths {
  return {
    root,
    stateDir,
    logs: join(stateDir, 'logs'),
    run: join(stateDir, 'run'),
    readyFile: join(stateDir, 'ready.json'),
    stateFile: join(stateDir, 'state.json'),
    secretsFile: join(stateDir, 'secrets.json'),
    portsFile: join(stateDir, 'ports.json'),
    providers: join(stateDir, 'providers'),
    seedFile: join(root, 'deploy/seed/local.json'),
  };
}

/** Another port for the second gateway would be found by nobody; with 0 each takes any that is free. */
function refuseSharedPort(metricsPort: string | undefined, gateways: number): void {
  if (gateways === 1 || metricsPort === undefined || metricsPort === '' || Number(metricsPort) === 0) return;
  throw new Error(
    `METRICS_PORT is one port, which ${gateways} gateways cannot share. Without it each answers /metrics on its own port: see "gateways" in ready.json.`,
  );
}

function millisecondsIn(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${name} must be a whole number of milliseconds.`);
}

function natsUrlIn(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  readNatsServers(text);
  return text;
}

/** Names the variable in a refusal, never its value: a URL may hold a password. */
function urlIn(name: string, text: string | undefined, protocols: readonly string[]): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
  throw new Error(`${name} must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
}
