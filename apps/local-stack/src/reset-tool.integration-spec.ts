import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tools = join(__dirname, '../../../tools');

describe('npm run reset', () => {
  let stateDir: string;
  const others: ChildProcess[] = [];

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'svc-reset-'));
    mkdirSync(join(stateDir, 'logs'));
    writeFileSync(join(stateDir, 'logs/billing.log'), 'x');
  });
  afterEach(async () => {
    await Promise.all(others.splice(0).map(end));
    rmSync(stateDir, { recursive: true, force: true });
  });

  /** Another process that has called a function of stack-lock.mjs, and lives on. */
  async function processThat(call: string): Promise<ChildProcess> {
    const script = `
      import { lock, occupy } from ${JSON.stringify(join(tools, 'stack-lock.mjs'))};
      process.on('SIGTERM', () => process.exit(0));
      ${call};
      console.log('done');
      setInterval(() => undefined, 1e6);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    others.push(child);
    await once(child.stdout, 'data');
    return child;
  }

  async function end(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  async function reset(): Promise<{ code: number | null; said: string }> {
    const child = spawn(process.execPath, [join(tools, 'reset.mjs')], {
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
});
