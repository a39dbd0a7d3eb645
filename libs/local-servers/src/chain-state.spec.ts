import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repairChainState } from './chain-state';

describe('repairChainState', () => {
  let directory: string;
  let state: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-chain-'));
    state = join(directory, 'state.json');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('leaves a chain that never ran without a state', () => {
    repairChainState(state);
    expect(existsSync(state)).toBe(false);
  });

  it('puts the last whole state back when an earlier start could not, for want of room', () => {
    writeFileSync(state, '{"block":7}');
    repairChainState(state);
    // What is left of a start that moved the torn one aside: a copy that fails leaves no file.
    renameSync(state, `${state}.torn`);
    repairChainState(state);
    expect(readFileSync(state, 'utf8')).toBe('{"block":7}');
  });
});
