import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const bench = (name: string) => join(__dirname, '../../../bench', `${name}.mjs`);
const tool = bench('figures');

describe('npm run bench:figures', () => {
  it.each([
    [['--sok'], "Unknown option '--sok'"],
    [['latencie'], 'no figure is called latencie; there are throughput, latency, '],
    [['soak', '--minutes', 'ten'], '--minutes must be a number'],
    [['--quick', '--write'], 'figures of a quick run are not for writing down'],
  ])('refuses %j before it starts anything, and says what it takes', async (args, words) => {
    const refused = promisify(execFile)(process.execPath, [tool, ...args]);
    await expect(refused).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${words}.*\\nnpm run bench:figures -- .*\\n$`)) as string,
    });
  });

  it('says what it takes to whoever asks', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [tool, '--help']);
    expect(stdout).toMatch(/^npm run bench:figures -- .*\n$/);
  });
});

describe('the other benches', () => {
  it.each([
    ['run', 'seconds'],
    ['billing', 'minutes'],
    ['catalogue', 'offers'],
    ['ranking', 'seeds'],
    ['statements', 'rows'],
  ])('bench/%s.mjs refuses what is no number before it starts anything', async (name, option) => {
    const refused = promisify(execFile)(process.execPath, [bench(name), `--${option}`, 'many']);
    await expect(refused).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^--${option} must be a number above 0\nnpm run bench.* -- .*\n$`),
      ) as string,
    });
  });
});
