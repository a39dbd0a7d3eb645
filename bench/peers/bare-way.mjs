// What svc's way costs by itself: the door, a plan, a durable hold, a run, a durable charge, each of its own process, over NATS and with
// PostgreSQL as svc has them. It checks nothing, refuses nothing, counts nothing, and keeps no record that anybody could ask for.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithBench, startProcess } from '../processes.mjs';

const require = createRequire(import.meta.url);
const { nodeFlags } = require('../../apps/local-stack/dist/node-process.js');
const { freePort, startNats, startPostgres } = require('@svc/local-servers');
const workspace = fileURLToPath(new URL('../..', import.meta.url));
const directory = join(workspace, '.local/bench-peers/bare-way');
const scriptOf = (role) => fileURLToPath(new URL(`bare-way/${role}.mjs`, import.meta.url));

/** Starts all of it in front of an upstream; resolves with the pids, the URL of the door and a way to stop. */
export async function startBareWay(node, upstream) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const pids = [];
  const stops = [];
  const onSpawn = (pid) => {
    pids.push(pid);
    stops.push(endWithBench(pid));
  };
  const configFile = join(directory, 'nats.conf');
  writeFileSync(configFile, 'host: $NATS_HOST\nport: $NATS_PORT\n');
  const nats = await startNats({
    dataDir: join(directory, 'nats'),
    port: await freePort(),
    configFile,
    env: {},
    onSpawn,
  });
  stops.push(() => nats.stop());
  const postgres = await startPostgres({
    dataDir: join(directory, 'postgres'),
    port: await freePort(),
    superuserPassword: 'bench',
    onSpawn,
  });
  stops.push(() => postgres.stop());
  const start = async (role, ...args) => {
    const process = await startProcess(role, node, [...nodeFlags, scriptOf(role), nats.url, ...args]);
    pids.push(process.pid);
    stops.push(process.stop);
    return process.firstLine;
  };
  await start('planner', upstream);
  await start('ledger', postgres.url);
  await start('runner');
  const url = await start('edge');
  const stop = async () => {
    for (const each of stops.toReversed()) await each();
  };
  return { pids, url, stop };
}
