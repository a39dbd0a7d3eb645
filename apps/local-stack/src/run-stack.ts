import { ENVIRONMENTS } from '@svc/environment';
import type { EnvironmentName } from '@svc/environment';
import { describeExit } from '@svc/local-servers';
import type { Ready } from '@svc/local-servers';
import { card } from './card';
import { scaleDispatch } from './dispatch-scaler';
import { portalUrl } from './portal-environment';
import { finishBeforeOthersBegin } from './processor-sharing';
import type { Progress } from './progress';
import { marketModels } from './provider-definitions';
import { removeReady, writeReady } from './ready-file';
import { ensureSecrets } from './secrets';
import { readSetupState } from './service-environment';
import { Stack } from './stack';
import type { StackContext } from './stack-context';
import { readOptions, stackPaths } from './stack.config';
import type { CommandLine } from './stack.config';
import { StackPorts } from './stack-ports';
import { refuseOthersState } from './state-environment';
import type { SupervisorEvents } from './supervised-process';

/** What `tools/start.mjs` hands over once everything is installed and built, and the state directory is locked. */
interface RunStackOptions {
  /** The clone. */
  root: string;
  environment: EnvironmentName;
  stateDir: string;
  commandLine: CommandLine;
  progress: Progress;
  /** Aborted by SIGINT and SIGTERM. */
  signal: AbortSignal;
  /** When the user's command began, on performance.now()'s clock. */
  startedAtMs: number;
}

/**
 * Runs the marketplace until the signal is aborted, then takes it down.
 * @returns the exit code: 0 after an ordered stop, 1 when it did not come up
 * @throws Error when the state directory is the other environment's
 */
export async function runStack(options: RunStackOptions): Promise<number> {
  const { progress, signal } = options;
  await finishBeforeOthersBegin();
  const paths = stackPaths(options.root, options.stateDir);
  const environment = ENVIRONMENTS[options.environment];
  refuseOthersState(environment, paths);
  const context: StackContext = {
    environment,
    options: readOptions(options.commandLine, process.env),
    paths,
    secrets: ensureSecrets(paths.secretsFile),
    ports: new StackPorts(paths.portsFile, environment.name),
    progress,
  };
  let announce = (): void => undefined;
  const stack = await Stack.create(
    context,
    supervisorEvents(progress, () => announce()),
  );
  let failed = false;
  try {
    await stack.up(signal);
    const ready = await describeStack(stack, context);
    const write = () => writeReady(paths.readyFile, { ...ready, processes: stack.processIds() });
    write();
    announce = () => orTell(write, progress);
    const seconds = ((performance.now() - options.startedAtMs) / 1_000).toFixed(1);
    const isChainLocal = context.options.external.chainRpcUrl === undefined;
    const { live, missing } = stack.market;
    const { routingModel } = environment;
    const models = marketModels(context).filter((model) => live.includes(model));
    if (routingModel !== undefined) models.push(routingModel);
    progress.say(card(ready, { models, missing, isChainLocal }, options.stateDir, seconds));
    await Promise.all([aborted(signal), scale(stack, context, () => announce(), signal)]);
  } catch (error) {
    failed = !signal.aborted;
    if (failed) progress.say(`\n${error instanceof Error ? error.message : String(error)}\n`);
  }
  announce = () => undefined;
  removeReady(paths.readyFile);
  await stack.down();
  return failed ? 1 : 0;
}

async function describeStack(stack: Stack, { environment, paths, ports }: StackContext): Promise<Ready> {
  const state = readSetupState(paths.stateFile);
  const gateway = `http://127.0.0.1:${await ports.of('gateway')}`;
  return {
    environment: environment.name,
    gateway,
    gateways: await stack.urlsOf('gateway'),
    portal: portalUrl(paths.root, gateway),
    apiKey: state.apiKey ?? '',
    wallet: state.wallet ?? '',
    walletPrivateKey: state.walletPrivateKey ?? '',
    chainRpc: stack.addresses.chainRpcUrl,
    usdc: state.usdc ?? '',
    settlement: state.settlement ?? '',
    natsUrl: stack.environment.natsUrlFor('setup'),
    databaseUrl: stack.addresses.databaseUrl,
    processes: stack.processIds(),
  };
}

/** As many processes of dispatch as there is work for, if a range was asked for. */
async function scale(
  stack: Stack,
  { options, progress }: StackContext,
  changed: () => void,
  signal: AbortSignal,
): Promise<void> {
  if (!options.dispatchRange) return;
  const change = async (work: Promise<string | undefined>, what: string): Promise<void> => {
    const name = await work;
    if (name !== undefined) progress.say(`✓ ${name} ${what}`);
    changed();
  };
  const replicas = {
    urls: () => stack.urlsOf('dispatch'),
    add: () => change(stack.addReplica('dispatch'), 'has joined: there is more to do'),
    remove: () => change(stack.removeReplica('dispatch'), 'has left: there is less to do'),
  };
  await scaleDispatch(replicas, options.dispatchRange, signal);
}

/** What cannot be written, for instance on a full disk, must not end the supervisor and leave everything running. */
function orTell(write: () => void, progress: Progress): void {
  try {
    write();
  } catch (error) {
    progress.say(`! ready.json is out of date: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function supervisorEvents(progress: Progress, changed: () => void): SupervisorEvents {
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  return {
    ended: (name, exit, backOffMs) => {
      progress.say(`! ${name} ended with ${describeExit(exit)}; starting it again in ${seconds(backOffMs)}`);
      changed();
    },
    restarted: (name, pid, tookMs) => {
      progress.say(`✓ ${name} is back after ${seconds(tookMs)} (pid ${pid})`);
      changed();
    },
    failed: (name, error, backOffMs) => {
      progress.say(`! ${error.message}\n! trying ${name} again in ${seconds(backOffMs)}`);
      changed();
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
