import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  forEachNatsUser,
  freePort,
  natsPasswords,
  startAnvil,
  startNats,
  startPostgres,
} from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import { applyMigrations } from '@svc/persistence';
import { endFormerRuns, makeRunFolder, removeRun } from './run-folder';
import { publishTestEnvironment } from './test-environment';

const workspaceRoot = join(__dirname, '..', '..', '..');
const runsFolder = join(workspaceRoot, '.local');
const templateDatabase = 'svc_template';

/** The servers one run of the integration tests uses. */
export interface TestServers {
  stop(): Promise<void>;
}

/** Starts NATS, PostgreSQL (with a migrated template database) and a chain, in a directory of this run's own. */
export async function startTestServers(): Promise<TestServers> {
  await endFormerRuns(runsFolder);
  const directory = makeRunFolder(runsFolder);
  const password = `t${randomBytes(12).toString('hex')}`;
  const running: LocalServer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.stop()));
    await removeRun(directory);
  };
  const keep = async (start: Promise<LocalServer>): Promise<LocalServer> => {
    const server = await start;
    running.push(server);
    return server;
  };
  const [natsPort, postgresPort, chainPort] = [await freePort(), await freePort(), await freePort()];
  const results = await Promise.allSettled([
    keep(
      startNats({
        dataDir: join(directory, 'nats'),
        port: natsPort,
        configFile: join(workspaceRoot, 'deploy/nats/nats.conf'),
        env: natsPasswords(forEachNatsUser(() => password)),
      }),
    ),
    keep(
      startPostgres({
        dataDir: join(directory, 'postgres'),
        port: postgresPort,
        superuserPassword: password,
      }),
    ).then((server) => createTemplate(server.url, password)),
    keep(startAnvil({ dataDir: join(directory, 'chain'), port: chainPort })),
  ]);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) {
    await stop();
    throw failure.reason;
  }
  publishTestEnvironment({
    adminUrl: `postgresql://postgres:${password}@127.0.0.1:${postgresPort}/postgres`,
    templateDatabase,
    natsUrl: `nats://127.0.0.1:${natsPort}`,
    chainUrl: `http://127.0.0.1:${chainPort}`,
    password,
  });
  return { stop };
}

async function createTemplate(adminUrl: string, password: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${templateDatabase}`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${templateDatabase}`;
  await applyMigrations(url.href, { rolePasswords: { billing: password, catalog: password } });
}
