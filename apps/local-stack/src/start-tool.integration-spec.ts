import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { end, lockHolder } from './lock-holder.for-spec';

const tools = join(__dirname, '../../../tools');

describe('npm start', () => {
  let clone: string;
  const others: ChildProcess[] = [];

  // The lock is the clone's: one of its own keeps nobody waiting here.
  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'svc-start-'));
    mkdirSync(join(clone, 'tools'));
    for (const name of readdirSync(tools).filter((each) => each.endsWith('.mjs')))
      cpSync(join(tools, name), join(clone, 'tools', name));
  });
  afterEach(async () => {
    await Promise.all(others.splice(0).map(end));
    rmSync(clone, { recursive: true, force: true });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'that waits for another build ends at once with %s',
    async (signal) => {
      const builder = await lockHolder(tools, `lock(${JSON.stringify(join(clone, '.local/prepare'))})`);
      others.push(builder);
      const child = spawn(process.execPath, [join(clone, 'tools/start.mjs')], {
        env: { PATH: process.env.PATH },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      others.push(child);
      const ended = once(child, 'close');
      let said = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (part: Buffer) => {
          said += part.toString();
          if (said.includes(`waiting for pid ${builder.pid}`)) resolve();
        });
      });
      child.kill(signal);
      // The other one never ends by itself.
      expect(await ended).toEqual([0, null]);
      expect(said).toContain(`stopping (${signal})`);
      expect(existsSync(join(clone, '.local/stack.lock'))).toBe(false);
    },
  );

  async function start(...args: string[]): Promise<{ code: number | null; said: string }> {
    const child = spawn(process.execPath, [join(clone, 'tools/start.mjs'), ...args], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    others.push(child);
    let said = '';
    child.stdout.on('data', (part: Buffer) => (said += part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  }

  it.each(['--help', '-h'])('says with %s what it takes, also while a marketplace runs', async (option) => {
    others.push(await lockHolder(tools, `lock(${JSON.stringify(join(clone, '.local'))})`));
    const { code, said } = await start(option);
    expect(code).toBe(0);
    expect(said).toMatch(/^npm start -- \[options\]\n/);
  });

  it.each([
    [['--dispatch', '4-2'], '--dispatch must be a number, or two'],
    [['--dispatch', '1-99'], '--dispatch must be a whole number from 1 to 16'],
    [['--dispatch', '1-2-3'], '--dispatch must be a number, or two'],
    [['--dispatch', '0'], '--dispatch must be a whole number from 1 to 16'],
    [['--upstream', 'http://127.0.0.1:8080/v1'], '--upstream and --upstream-model belong together'],
    [['--upstream', 'ftp://x', '--upstream-model', 'm'], '--upstream must be a URL'],
    [['--upstream'], '--upstream needs a value'],
    [['--portal'], 'Unknown option --portal'],
    [['--environment', 'prod'], '--environment must be one of testnet, production'],
  ])('refuses %j before it installs or builds anything', async (args, message) => {
    const { code, said } = await start(...args);
    expect(code).toBe(1);
    expect(said).toContain(`  ${message}`);
    expect(existsSync(join(clone, '.local'))).toBe(false);
  });

  it.each([
    [[], { replicas: { gateway: 1, dispatch: 1 } }],
    [['--gateway', '2', '--dispatch=3'], { replicas: { gateway: 2, dispatch: 3 } }],
    [['--dispatch', '2-4'], { replicas: { gateway: 1, dispatch: 2 }, dispatchRange: { least: 2, most: 4 } }],
    [
      ['--upstream=http://127.0.0.1:8080/v1', '--upstream-model', 'llama', '--upstream-key=a=b'],
      {
        replicas: { gateway: 1, dispatch: 1 },
        upstream: { url: 'http://127.0.0.1:8080/v1', model: 'llama', apiKey: 'a=b' },
      },
    ],
  ])('reads %j', async (args, commandLine) => {
    const script = `
      import { readOptions } from ${JSON.stringify(join(tools, 'start-options.mjs'))};
      console.log(JSON.stringify(readOptions(${JSON.stringify(args)})));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(JSON.parse(stdout)).toEqual(commandLine);
  });
});
