import { join } from 'node:path';
import { readNatsServers } from './nats-servers';
import type { ReplicaRange } from './replica-scaling';

/** Real servers to use instead of local ones. */
export interface ExternalServers {
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

/** What `npm start -- …` was asked for. */
export interface StackOptions {
  external: ExternalServers;
  upstream?: UpstreamOption;
  /** How many processes of a service; one unless told. */
  replicas: Readonly<Record<'gateway' | 'dispatch', number>>;
  /** Within it the number of dispatch processes follows the load; it begins with the least. */
  dispatchRange?: ReplicaRange;
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

const mostReplicas = 16;
/** Shorter than what services grant themselves: whoever pressed Ctrl-C waits for it. */
const usualGraceMs = 10_000;

export const usage = `npm start -- [options]
  --environment NAME      testnet (default) or production
  --upstream URL          an OpenAI-compatible server's base URL, e.g. http://127.0.0.1:11434/v1
  --upstream-model NAME   the model's name there
  --upstream-key KEY      its API key, if it wants one (or UPSTREAM_API_KEY)
  --gateway N             gateway processes (1)
  --dispatch N            dispatch processes (1); N-M: from N to M, as there is work`;

/**
 * Reads the command line and the environment.
 * @throws Error with one line for the user when something does not fit
 */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): StackOptions {
  const values = readFlags(args);
  const dispatchRange = rangeIn('dispatch', values);
  const gateways = countIn('gateway', values.gateway);
  refuseSharedPort(env.METRICS_PORT, gateways);
  return {
    external: {
      natsUrl: natsUrlIn(env.NATS_URL),
      databaseUrl: urlIn('DATABASE_URL', env.DATABASE_URL, ['postgresql:', 'postgres:']),
      chainRpcUrl: urlIn('CHAIN_RPC_URL', env.CHAIN_RPC_URL, ['http:', 'https:']),
    },
    upstream: upstreamIn(values, env),
    replicas: {
      gateway: gateways,
      dispatch: dispatchRange?.least ?? countIn('dispatch', values.dispatch),
    },
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

const flags = ['upstream', 'upstream-model', 'upstream-key', 'gateway', 'dispatch'] as const;
type Flag = (typeof flags)[number];
type FlagValues = Partial<Record<Flag, string>>;

/** Takes `--flag value` and `--flag=value`. */
function readFlags(args: readonly string[]): FlagValues {
  const values: FlagValues = {};
  for (let index = 0; index < args.length; index += 1) {
    const [name = '', inline] = splitOnce(args[index] ?? '');
    const flag = flags.find((known) => name === `--${known}`);
    if (flag === undefined) throw new Error(`Unknown option ${name}.\n${usage}`);
    const value = inline ?? args[(index += 1)];
    if (value === undefined || value === '') throw new Error(`--${flag} needs a value.\n${usage}`);
    values[flag] = value;
  }
  return values;
}

function splitOnce(argument: string): [string, string | undefined] {
  const at = argument.indexOf('=');
  return at < 0 ? [argument, undefined] : [argument.slice(0, at), argument.slice(at + 1)];
}

function upstreamIn(values: FlagValues, env: NodeJS.ProcessEnv): UpstreamOption | undefined {
  const { upstream, 'upstream-model': model, 'upstream-key': key } = values;
  if (upstream === undefined && model === undefined && key === undefined) return undefined;
  if (upstream === undefined || model === undefined) {
    throw new Error(`--upstream and --upstream-model belong together.\n${usage}`);
  }
  const url = urlIn('--upstream', upstream, ['http:', 'https:']) ?? upstream;
  return { url, model, apiKey: key ?? env.UPSTREAM_API_KEY };
}

/** `2-5`. @returns undefined for a single number */
function rangeIn(flag: 'dispatch', values: FlagValues): ReplicaRange | undefined {
  const [least, most, ...rest] = values[flag]?.split('-') ?? [];
  if (most === undefined) return undefined;
  const range = { least: countIn(flag, least), most: countIn(flag, most) };
  if (rest.length === 0 && range.least <= range.most) return range;
  throw new Error(`--${flag} must be a number, or two of which the first is not the larger: 1-4.`);
}

function countIn(flag: 'gateway' | 'dispatch', text: string | undefined): number {
  if (text === undefined) return 1;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= mostReplicas) return count;
  throw new Error(`--${flag} must be a whole number from 1 to ${mostReplicas}.`);
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
