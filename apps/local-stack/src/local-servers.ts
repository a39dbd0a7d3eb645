import { join } from 'node:path';
import { natsPasswords, startAnvil, startNats, startPostgres } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import type { StackContext } from './stack-context';

/** A server the stack runs itself because no URL was given for it. */
interface LocalServerDefinition {
  name: 'nats' | 'postgres' | 'chain';
  launch: (signal: AbortSignal) => Promise<LocalServer>;
}

/** The servers that no URL was given for. */
export function localServers(context: StackContext): LocalServerDefinition[] {
  const { natsUrl, databaseUrl, chainRpcUrl } = context.options.external;
  const all: [string | undefined, LocalServerDefinition][] = [
    [natsUrl, { name: 'nats', launch: (signal) => launchNats(context, signal) }],
    [databaseUrl, { name: 'postgres', launch: (signal) => launchPostgres(context, signal) }],
    [chainRpcUrl, { name: 'chain', launch: (signal) => launchChain(context, signal) }],
  ];
  return all.filter(([url]) => url === undefined).map(([, definition]) => definition);
}

async function launchNats(context: StackContext, signal: AbortSignal): Promise<LocalServer> {
  return startNats({
    ...files(context, 'nats'),
    port: await context.ports.of('nats'),
    configFile: join(context.paths.root, 'deploy/nats/nats.conf'),
    env: natsPasswords(context.secrets.nats),
    signal,
  });
}

async function launchPostgres(context: StackContext, signal: AbortSignal): Promise<LocalServer> {
  return startPostgres({
    ...files(context, 'postgres'),
    port: await context.ports.of('postgres'),
    superuserPassword: context.secrets.databaseSuperuser,
    database: 'svc',
    signal,
  });
}

async function launchChain(context: StackContext, signal: AbortSignal): Promise<LocalServer> {
  return startAnvil({ ...files(context, 'chain'), port: await context.ports.of('chain'), signal });
}

function files({ paths }: StackContext, name: string): { dataDir: string; logFile: string; pidFile: string } {
  return {
    dataDir: join(paths.stateDir, name),
    logFile: join(paths.logs, `${name}.log`),
    pidFile: join(paths.run, `${name}.pid`),
  };
}
