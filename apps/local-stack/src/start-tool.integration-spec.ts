import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it.each(['--help', '-h'])('says with %s what it takes, also while a marketplace runs', async (option) => {
    others.push(await lockHolder(tools, `lock(${JSON.stringify(join(clone, '.local'))})`));
    mkdirSync(join(clone, 'apps/local-stack/dist'), { recursive: true });
    writeFileSync(join(clone, 'apps/local-stack/dist/index.js'), "exports.usage = 'npm start -- [options]';");
    const child = spawn(process.execPath, [join(clone, 'tools/start.mjs'), option], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    others.push(child);
    let said = '';
    child.stdout.on('data', (part: Buffer) => (said += part.toString()));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(said).toBe('npm start -- [options]\n');
  });
});
