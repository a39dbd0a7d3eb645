import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { identityOf } from '@svc/local-servers';
import { end, lockHolder } from './lock-holder.for-spec';

const tools = join(__dirname, '../../../tools');

describe('npm run reset', () => {
  let stateDir: string;
  const others: ChildProcess[] = [];
  const processThat = async (call: string): Promise<ChildProcess> => {
    const child = await lockHolder(tools, call);
    others.push(child);
    return child;
  };

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'svc-reset-'));
    mkdirSync(join(stateDir, 'logs'));
    writeFileSync(join(stateDir, 'logs/billing.log'), 'x');
  });
  afterEach(async () => {
    await Promise.all(others.splice(0).map(end));
    rmSync(stateDir, { recursive: true, force: true });
  });

  async function reset(...args: string[]): Promise<{ code: number | null; said: string }> {
    const child = spawn(process.execPath, [join(tools, 'reset.mjs'), ...args], {
      env: { PATH: process.env.PATH, SVC_STATE_DIR: stateDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (part: Buffer) => (said += part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  }

  it.each([
    [
      'tests run',
      (directory: string) => `occupy(${JSON.stringify(directory)}, 'npm-test')`,
      /npm-test-\d+ is in use/,
    ],
    [
      'another marketplace has a folder there',
      (directory: string) => `lock(${JSON.stringify(join(directory, 'e2e'))})`,
      /e2e is in use/,
    ],
    [
      'a marketplace runs there',
      (directory: string) => `lock(${JSON.stringify(directory)})`,
      /svc already runs here/,
    ],
  ])('refuses while %s, and removes nothing', async (_, call, words) => {
    const other = await processThat(call(stateDir));
    const refused = await reset();
    expect(refused.code).toBe(1);
    expect(refused.said).toMatch(words);
    expect(refused.said).toContain(`(pid ${other.pid}`);
    expect(existsSync(join(stateDir, 'logs/billing.log'))).toBe(true);
    await end(other);
    expect((await reset()).code).toBe(0);
    expect(readdirSync(stateDir)).toEqual([]);
  });

  it('sees who has locked the folder in the way of the services, as test runs do', async () => {
    writeFileSync(join(stateDir, 'stack.lock'), JSON.stringify(identityOf(process.pid)));
    const refused = await reset();
    expect(refused.code).toBe(1);
    expect(refused.said).toContain(`(pid ${process.pid}`);
  });

  it.each(['--enviroment=production', '--hlep', 'production'])(
    'refuses %s, which it does not know, and removes nothing',
    async (unknown) => {
      const refused = await reset(unknown);
      expect(refused.code).toBe(1);
      expect(refused.said).toContain(`Unknown option ${unknown}. Nothing was removed.`);
      expect(existsSync(join(stateDir, 'logs/billing.log'))).toBe(true);
    },
  );

  it.each([['--help'], ['-h'], ['--environment', 'production', '--help']])(
    'says with %s how it is called, and removes nothing',
    async (...args) => {
      const asked = await reset(...args);
      expect(asked.code).toBe(0);
      expect(asked.said).toContain('npm run reset [-- --environment NAME]');
      expect(existsSync(join(stateDir, 'logs/billing.log'))).toBe(true);
    },
  );

  it('empties all the same when nobody reads what it says', async () => {
    const child = spawn(process.execPath, [join(tools, 'reset.mjs')], {
      env: { PATH: process.env.PATH, SVC_STATE_DIR: stateDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let errors = '';
    child.stderr.on('data', (part: Buffer) => (errors += part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, errors]).toEqual([0, '']);
    expect(readdirSync(stateDir)).toEqual([]);
  });

  it('sees the run of jest that this is, whoever started it', async () => {
    const script = `
      import { lockedBelow } from ${JSON.stringify(join(tools, 'stack-lock.mjs'))};
      console.log(JSON.stringify(lockedBelow(${JSON.stringify(join(tools, '../.local'))})));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const seen = JSON.parse(stdout) as { folder: string; pid: number }[];
    // The servers are the run's, which is this process or has this one as a worker.
    const runs = seen.filter(({ pid }) => [process.pid, process.ppid].includes(pid));
    expect(runs.map(({ folder }) => basename(folder))).toContain(`integration-${runs[0]?.pid}`);
  });
});
