import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readState, writeState } from './setup-state';

describe('the state file', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-state-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is empty before the first write, and afterwards what was written', async () => {
    const file = join(directory, 'deep', 'state.json');
    expect(await readState(file)).toEqual({});
    await writeState(file, { chainId: 31_337, usdc: '0x1' });
    expect(await readState(file)).toEqual({ chainId: 31_337, usdc: '0x1' });
  });

  it('is readable by its owner only and leaves no draft', async () => {
    const file = join(directory, 'state.json');
    await writeState(file, { apiKey: 'a' });
    await writeState(file, { apiKey: 'b' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['state.json']);
  });
});
