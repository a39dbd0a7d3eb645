import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '@svc/local-servers';
import { eventually } from './eventually';
import { endFormerRuns } from './run-folder';

const ROOT = join(__dirname, '../../..');
const DIST = join(__dirname, '../dist');

describe('a run of the integration tests that was killed', () => {
  let folder: string;
  const processes: ChildProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-interrupted-'));
  });
  afterEach(() => {
    for (const child of processes.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  function node(...args: string[]): ChildProcess {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    processes.push(child);
    return child;
  }

  it('leaves nothing behind once the next one begins, the servers of its specs included', async () => {
    const run = node('-e', SPEC_WITH_SERVER, DIST, folder);
    const [line] = (await once(run.stdout ?? run, 'data')) as [Buffer];
    const { server, specs } = JSON.parse(line.toString()) as { server: number; specs: string };
    await endFormerRuns(folder);
    expect([isAlive(server), existsSync(specs)]).toEqual([true, true]);
    run.kill('SIGKILL');
    await once(run, 'exit');
    await endFormerRuns(folder);
    expect([isAlive(server), existsSync(specs), readdirSync(folder)]).toEqual([false, false, []]);
  });

  it('has its workers end with it', async () => {
    mkdirSync(join(folder, 'pids'));
    writeFileSync(
      join(folder, 'jest.config.json'),
      JSON.stringify({
        testEnvironment: join(DIST, 'jest/integration-environment.js'),
        testTimeout: 600_000,
      }),
    );
    for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.test.js`), ENDLESS);
    const jest = node(
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      '--maxWorkers=2',
      '--config',
      join(folder, 'jest.config.json'),
    );
    const pids = await eventually(() => {
      const files = readdirSync(join(folder, 'pids'));
      return files.length === 2 && files.map(Number);
    });
    expect(pids.map(isAlive)).toEqual([true, true]);
    jest.kill('SIGKILL');
    await eventually(() => !pids.some(isAlive));
  });
});

/** As jest and one of its specs: makes the run's folder, starts a server in a temporary one, says which, and goes on. */
const SPEC_WITH_SERVER = `
  const { mkdtempSync } = require('node:fs');
  const { tmpdir } = require('node:os');
  const { dirname, join } = require('node:path');
  const [dist, runs] = process.argv.slice(1);
  const { makeRunFolder } = require(join(dist, 'run-folder'));
  const { startChildServer } = require('@svc/local-servers');
  makeRunFolder(runs);
  const directory = join(mkdtempSync(join(tmpdir(), 'svc-spec-')), 'server');
  startChildServer({
    name: 'server', url: '', command: process.execPath, args: ['-e', 'setInterval(() => 0, 1e6)', directory], env: {},
    cwd: '/', logFile: join(directory, 'log'), pidFile: join(directory, 'server.pid'), marker: directory,
    isReady: async () => true, readyTimeoutMs: 30_000, stopSignal: 'SIGINT', stopGraceMs: 1_000,
  }).then(({ pid }) => console.log(JSON.stringify({ server: pid, specs: dirname(directory) })));
  setInterval(() => 0, 1e6);`;

const ENDLESS = `
  it('ends', () => {
    require('node:fs').writeFileSync(require('node:path').join(__dirname, 'pids', String(process.pid)), '');
    return new Promise(() => setInterval(() => 0, 1e6));
  });`;
