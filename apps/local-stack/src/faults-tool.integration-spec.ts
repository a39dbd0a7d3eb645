import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const tool = join(__dirname, '../../../tools/faults.mjs');

describe('npm run faults', () => {
  it.each([
    [['--cicles', '3'], "Unknown option '--cicles'"],
    [['--cycles', 'ten'], '--cycles must be a whole number'],
    [['--seed', 'x'], '--seed must be a whole number'],
  ])('refuses %j and says what it takes', async (args, words) => {
    const refused = promisify(execFile)(process.execPath, [tool, ...args]);
    await expect(refused).rejects.toMatchObject({
      code: 2,
      stdout: expect.stringMatching(new RegExp(`^  ${words}.*\\n  npm run faults -- `)) as string,
      stderr: '',
    });
  });

  it('says what it takes to whoever asks', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [tool, '--help']);
    expect(stdout).toMatch(/^ {2}npm run faults -- .*\n$/);
  });
});
