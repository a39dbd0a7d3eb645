import { execFileSync } from 'node:child_process';
import { chromiumBinary } from './chromium';

describe('Chromium', () => {
  it('is there without an installation, with nothing of the environment, also when two ask at once', async () => {
    const [first, second] = await Promise.all([chromiumBinary(), chromiumBinary()]);
    expect(second).toEqual(first);
    const { executablePath, env } = first;
    expect(execFileSync(executablePath, ['--version'], { env, encoding: 'utf8' })).toMatch(/Chrom/);
  });
});
