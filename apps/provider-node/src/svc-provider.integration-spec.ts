import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-provider-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** @param stdout a file's descriptor; a pipe that nobody reads unless told */
async function run(args: string[], stdout: number | 'pipe' = 'pipe') {
  const script = join(__dirname, '..', 'dist', 'svc-provider.js');
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    stdio: ['ignore', stdout, 'pipe'],
  });
  child.stdout?.destroy();
  let stderr = '';
  child.stderr?.on('data', (part: Buffer) => (stderr += part.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

it('does what it is asked though nobody reads what it says', async () => {
  expect(await run(['init', '--name', 'Ada', '--url', 'http://127.0.0.1:1'])).toEqual({
    code: 0,
    stderr: '',
  });
  expect(existsSync(join(folder, 'svc-provider.yaml'))).toBe(true);
});

it('says in one line that what it says cannot be written', async () => {
  const full = openSync('/dev/full', 'w');
  const { code, stderr } = await run(['--help'], full).finally(() => closeSync(full));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^.*cannot be written: ENOSPC.*\n$/)]);
});
