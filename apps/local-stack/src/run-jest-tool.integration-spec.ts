import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tool = join(__dirname, '../../../tools/run-jest.mjs');
/** Ten times what jest takes to begin its first spec file on two cores with other work to do: before that nothing is under way. */
const SPINS_MS = 12_000;
/** Nothing is to stand still. */
const NEVER_MS = 600_000;

describe('running jest', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-jest-')));
    writeFileSync(join(folder, 'package.json'), '{}');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** @returns what the tool returns, or what it throws */
  async function run(spec: string, standstillMs: number, ...args: string[]): Promise<string> {
    writeFileSync(join(folder, 'a.spec.js'), spec);
    const options = {
      progressFile: join(folder, 'under-way'),
      cwd: folder,
      standstillMs,
      killAfterMs: 2_000,
    };
    const call = `import { runJest } from ${JSON.stringify(tool)};
      console.log(await runJest(${JSON.stringify(args)}, ${JSON.stringify(options)}).catch(({ message }) => message));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', call], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.on('data', (part: Buffer) => (said += part.toString()));
    await once(child, 'close');
    return said.trim();
  }

  it.each([
    ['passes', 'true', '0'],
    ['fails', 'false', '1'],
  ])('tells its exit code when all %s', async (_, value, code) => {
    expect(await run(`it('is', () => expect(${value}).toBe(true))`, NEVER_MS)).toBe(code);
  });

  it.each([
    ['in its own process', ['--runInBand']],
    ['in a worker', ['--maxWorkers=2']],
  ])('ends a spec that spins for ever %s, and names it', async (_, args) => {
    // Of one file alone jest would make no worker.
    writeFileSync(join(folder, 'b.spec.js'), `it('is', () => undefined)`);
    expect(await run(`it('ends', () => { for (;;); })`, SPINS_MS, ...args)).toBe(
      'no spec file began or ended for 0.2 minutes; under way: a.spec.js',
    );
  });
});
